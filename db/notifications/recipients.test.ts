import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roles } from '../../domain/roles.ts';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization, seedUser } from '../../test/seeds/seed.ts';
import { seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { declareLost } from '../agents/lost-agents.ts';
import { createToken } from '../api-tokens/api-tokens.ts';
import { notifyDeciders } from '../approvals/notify-deciders.ts';
import { admit } from '../deployments/admission.ts';
import { type Author, effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

/** The roles of an organization's people; those who left have none. */
interface People {
  organizationId: string;
  /** A member of each role, one more who is disabled, one who is a member elsewhere, too, and one who left. */
  of: Record<string, string>;
}

async function people(): Promise<People> {
  const { database } = fresh;
  const organizationId = await seedOrganization(database);
  const elsewhere = await seedOrganization(database);
  const of: Record<string, string> = {};
  for (const role of roles) of[role] = await seedMember(database, organizationId, role);
  of.disabled = await seedMember(database, organizationId, 'admin');
  await database.kysely
    .updateTable('app_user')
    .set({ disabled_at: new Date() })
    .where('id', '=', of.disabled)
    .execute();
  of.both = await seedMember(database, organizationId, 'admin');
  await tenant(database.kysely, elsewhere)
    .insertInto('membership')
    .values({ user_id: of.both, role: 'viewer' })
    .execute();
  of.stranger = await seedMember(database, elsewhere, 'owner');
  of.left = await seedUser(database);
  return { organizationId, of };
}

const admins = ['admin', 'both', 'owner'];

/** By name: who has what of an organization in the inbox. */
async function inboxes({ organizationId, of }: People): Promise<Record<string, string[]>> {
  const rows = await tenant(fresh.database.kysely, organizationId)
    .selectFrom('notification')
    .select(['user_id', 'title'])
    .orderBy('created_at')
    .execute();
  const names = new Map(Object.entries(of).map(([name, id]) => [id, name]));
  const byName = Map.groupBy(rows, ({ user_id: id }) => names.get(id) ?? id);
  return Object.fromEntries([...byName].map(([name, own]) => [name, own.map(({ title }) => title)]));
}

/** Each kind of requester, and the person behind it. */
async function requesters({ organizationId, of }: People): Promise<{ author: Author; person: string | undefined }[]> {
  const ben: Author = { kind: 'user', id: of.deployer ?? '', name: 'Ben' };
  const ada: Author = { kind: 'user', id: of.admin ?? '', name: 'Ada' };
  const { row: token } = await effect(fresh.database, ada, (making) =>
    createToken(making, { organizationId, name: 'CI', role: 'deployer' }),
  );
  return [
    { author: ben, person: 'deployer' },
    { author: ada, person: 'admin' },
    { author: { kind: 'token', id: token.id, name: 'CI' }, person: 'admin' },
    { author: { kind: 'token', id: uuid(), name: 'gone' }, person: undefined },
    { author: { kind: 'user', id: of.left ?? '', name: 'Left' }, person: undefined },
    { author: { kind: 'user', id: of.stranger ?? '', name: 'Elsewhere' }, person: undefined },
    { author: { kind: 'user', id: 'no id of ours', name: 'Odd' }, person: undefined },
    { author: { kind: 'token', id: 'none either', name: 'Odd token' }, person: undefined },
    { author: { ...machine, id: 'sweeper' }, person: undefined },
    { author: { kind: 'actor', id: `change-set/${uuid()}`, name: 'change set' }, person: undefined },
  ];
}

test('an approval is told to all who may decide, but not to who asked for it, once', async () => {
  const us = await people();
  const { organizationId } = us;
  for (const { author, person } of await requesters(us)) {
    await tenant(fresh.database.kysely, organizationId).deleteFrom('notification').execute();
    const asked = {
      ...{ approvalId: uuid(), projectId: uuid(), environmentId: uuid(), environment: 'Production' },
      ...{ kind: 'change-set' as const, reason: 'Friday', requestedBy: author, answerableId: undefined },
    };
    const ask = () => effect(fresh.database, author, (asking) => notifyDeciders(asking, organizationId, asked));
    await ask();
    await ask();
    const expected = admins.filter((name) => name !== person);
    const title = 'Approval needed: apply a change set to Production';
    expect(await inboxes(us)).toEqual(Object.fromEntries(expected.map((name) => [name, [title]])));
  }
});

const ends = ['live', 'failed', 'cancelled'] as const;

test.each([
  ['production', true],
  ['another environment', false],
])('the end of a deployment in %s is told by the table of events', async (_, production) => {
  const us = await people();
  const { organizationId } = us;
  const place = await seedPlace(fresh.database, organizationId, { production });
  const { id: releaseId } = await seedRelease(fresh.database, place, 7);
  for (const { author, person } of await requesters(us)) {
    for (const end of ends) {
      await tenant(fresh.database.kysely, organizationId).deleteFrom('notification').execute();
      const { projectId, environmentId, serviceId } = place;
      const [id, project] = [uuid(), { organizationId, projectId }];
      const deployment = { id, kind: 'deploy' as const, queue: true, environmentId, serviceId, releaseId };
      await effect(fresh.database, author, async (asking) => {
        await admit(asking, project, { event: 'create', deployments: [deployment] });
        await admit(asking, project, { event: 'claim', id });
      });
      for (let times = 0; times < 2; times += 1) {
        await effect(fresh.database, machine, (ending) =>
          admit(ending, project, { event: 'finish', id, state: end, message: 'It ended.' }),
        );
      }
      const requester = person === undefined ? [] : [person];
      const told = {
        live: production ? requester : [],
        failed: production ? [...new Set([...requester, ...admins])] : requester,
        cancelled: [],
      }[end];
      const inbox = await inboxes(us);
      expect(Object.keys(inbox).toSorted(), `${end} by ${author.name}`).toEqual(told.toSorted());
      const title =
        end === 'live' ? /^Release #7 of .* is live in Staging$/ : /^Release #7 of .* failed to deploy to Staging$/;
      for (const titles of Object.values(inbox)) expect(titles).toEqual([expect.stringMatching(title)]);
    }
  }
});

test('a cluster that is lost is told to admins, once each time', async () => {
  const us = await people();
  const { organizationId } = us;
  const { clusterId } = await seedPlace(fresh.database, organizationId);
  const silent = sql`now() - interval '1 hour'`;
  const { kysely } = fresh.database;
  await sql`insert into process (id, kind, version, state, present_since) values (${uuid()}, 'api', '1', '{}', ${silent})`.execute(
    kysely,
  );
  for (const times of [1, 2]) {
    await sql`update cluster_agent set contact = 'connected', last_heartbeat_at = now() - make_interval(hours => ${3 - times})
      where cluster_id = ${clusterId}`.execute(kysely);
    expect(await declareLost(fresh.database)).toBe(1);
    expect(await declareLost(fresh.database)).toBe(0);
    const title = expect.stringMatching(/^Cluster .* lost contact with its agent$/);
    expect(await inboxes(us)).toEqual(Object.fromEntries(admins.map((name) => [name, Array(times).fill(title)])));
  }
});

test('the inbox of somebody who leaves goes', async () => {
  const us = await people();
  const { organizationId, of } = us;
  const asked = { approvalId: uuid(), projectId: uuid(), environmentId: uuid(), environment: 'Production' };
  await effect(fresh.database, machine, (asking) =>
    notifyDeciders(asking, organizationId, {
      ...asked,
      ...{ kind: 'change-set', reason: '', requestedBy: machine, answerableId: undefined },
    }),
  );
  await tenant(fresh.database.kysely, organizationId)
    .deleteFrom('membership')
    .where('user_id', '=', of.both ?? '')
    .execute();
  expect(Object.keys(await inboxes(us)).toSorted()).toEqual(['admin', 'owner']);
});
