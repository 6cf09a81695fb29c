import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { roles } from '../../domain/roles.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization, seedUser } from '../../test/seeds/seed.ts';
import { seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { storeRelease, tellAvailableUpdates } from '../agent-updates/agent-releases.ts';
import { requestAgentUpdate } from '../agent-updates/agent-updates.ts';
import { declareLost } from '../agents/lost-agents.ts';
import { createToken } from '../api-tokens/api-tokens.ts';
import { askDeciders } from '../approvals/approvals.ts';
import { admit } from '../deployments/admission.ts';
import { type Author, effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';

const fresh = await freshDatabase();
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

async function approvalBy({ organizationId }: People, author: Author) {
  const { database } = fresh;
  const { projectId, environmentId } = await seedPlace(database, organizationId, { production: true });
  const id = uuid();
  const by = { requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name };
  const row = { id, project_id: projectId, environment_id: environmentId, deployment_id: null, change_set_id: null };
  await tenantRow(database, 'approval', organizationId, { ...row, ...by, kind: 'change-set' });
  const asked = { approvalId: id, projectId, environmentId, environment: 'Production', kind: 'change-set' as const };
  return { ...asked, reason: 'Friday', requestedBy: author, answerableId: undefined };
}

test('an approval is told to all who may decide, but not to who asked for it, once', async () => {
  const us = await people();
  const { organizationId } = us;
  for (const { author, person } of await requesters(us)) {
    await tenant(fresh.database.kysely, organizationId).deleteFrom('notification').execute();
    const asked = await approvalBy(us, author);
    const ask = () => effect(fresh.database, author, (asking) => askDeciders(asking, organizationId, asked));
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

/** Offers another release of the agent, and answers its image. */
async function offer(number: number): Promise<string> {
  const [image, digest] = [
    `ballast-agent:${number}.0.0-${String(number).repeat(12)}`,
    `sha256:${String(number).repeat(64)}`,
  ];
  await storeRelease(fresh.database.kysely, {
    image,
    version: `${number}.0.0`,
    digest,
    bytes: Buffer.from('a'),
    proof: {},
  });
  return image;
}
/** Clusters of earlier tests have an older agent, too. */
const sweep = async (us: People) => {
  await tellAvailableUpdates(fresh.database);
  return await inboxes(us);
};
const agentOf = ({ clusterId }: { clusterId: string }) =>
  fresh.database.kysely.updateTable('cluster_agent').where('cluster_id', '=', clusterId);
const clusterOf = ({ clusterId }: { clusterId: string }) =>
  fresh.database.kysely.updateTable('cluster').where('id', '=', clusterId);
const endUpdate = () =>
  sql`update agent_update set state = 'failed', finished_at = now() where finished_at is null`.execute(
    fresh.database.kysely,
  );

test('an update of an agent that became available is told to admins, once for each cluster and release', async () => {
  const us = await people();
  const place = await seedPlace(fresh.database, us.organizationId);
  const { name } = await clusterOf(place).set({ region: 'here' }).returning('name').executeTakeFirstOrThrow();
  const title = `An agent update is available for cluster ${name}`;
  const told = (times: number) => Object.fromEntries(admins.map((admin) => [admin, Array(times).fill(title)]));
  const second = await offer(2);
  expect(await sweep(us)).toEqual(told(1));
  expect(await sweep(us)).toEqual(told(1));
  const { body, link } = await tenant(fresh.database.kysely, us.organizationId)
    .selectFrom('notification')
    .select(['body', 'link'])
    .executeTakeFirstOrThrow();
  expect(body).toMatch(
    /runs release 1\.0\.0 \(111111111111\); .* offers 2\.0\.0 \(222222222222\)\. Start the update on/,
  );
  expect(link).toEqual({ type: 'cluster', clusterId: place.clusterId, tab: 'agent' });
  await offer(3);
  expect(await sweep(us)).toEqual(told(2));
  // Deleted by its age, it is not told once more, and neither after another agent has enrolled there.
  await tenant(fresh.database.kysely, us.organizationId).deleteFrom('notification').execute();
  await agentOf(place).set({ image: second }).execute();
  expect(await sweep(us)).toEqual({});
});

test('nobody is told of an update where there is nothing to start', async () => {
  const us = await people();
  const [updating, deleting, deleted, lost, current, local, rolledBack] = await Promise.all(
    Array.from({ length: 7 }, () => seedPlace(fresh.database, us.organizationId)),
  );
  if (!updating || !deleting || !deleted || !lost || !current || !local || !rolledBack) throw new Error('seven');
  const image = await offer(4);
  const request = (place: { clusterId: string }, kind: 'update' | 'rollback', toImage: string) =>
    effect(fresh.database, machine, (asking) =>
      requestAgentUpdate(asking, { id: place.clusterId, organizationId: us.organizationId }, { kind, toImage }),
    );
  await agentOf(current).set({ image }).execute();
  await agentOf(rolledBack).set({ image }).execute();
  await request(rolledBack, 'rollback', 'ballast-agent:1.0.0-111111111111');
  await endUpdate();
  await agentOf(rolledBack).set({ image: 'ballast-agent:1.0.0-111111111111' }).execute();
  await request(updating, 'update', image);
  await clusterOf(deleting).set({ state: 'deleting' }).execute();
  await clusterOf(deleted).set({ finished_at: new Date() }).execute();
  await agentOf(lost).set({ contact: 'lost' }).execute();
  await clusterOf(local).set({ local: true }).execute();
  expect(await sweep(us)).toEqual({});
  // Back in contact, or with an update that failed, there is.
  await agentOf(lost).set({ contact: 'connected' }).execute();
  await endUpdate();
  expect((await sweep(us)).owner).toHaveLength(2);
  // The local one follows by itself, until that has failed.
  await request(local, 'update', image);
  await endUpdate();
  expect((await sweep(us)).owner).toHaveLength(3);
  await tenant(fresh.database.kysely, us.organizationId).deleteFrom('notification').execute();
  expect(await sweep(us)).toEqual({});
});

test('an update of an agent that nobody was there to hear of is told nobody later', async () => {
  const us = await people();
  await seedPlace(fresh.database, us.organizationId);
  await offer(5);
  const members = tenant(fresh.database.kysely, us.organizationId).updateTable('membership');
  await members.set({ role: 'viewer' }).execute();
  expect(await sweep(us)).toEqual({});
  await members.set({ role: 'admin' }).execute();
  expect(await sweep(us)).toEqual({});
});

test('the inbox of somebody who leaves goes', async () => {
  const us = await people();
  const { organizationId, of } = us;
  const asked = await approvalBy(us, machine);
  await effect(fresh.database, machine, (asking) => askDeciders(asking, organizationId, asked));
  await tenant(fresh.database.kysely, organizationId)
    .deleteFrom('membership')
    .where('user_id', '=', of.both ?? '')
    .execute();
  expect(Object.keys(await inboxes(us)).toSorted()).toEqual(['admin', 'owner']);
});
