import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import { regainContact } from '../../db/agents/cluster-agents.ts';
import { declareLost } from '../../db/agents/lost-agents.ts';
import { askDeciders } from '../../db/approvals/approvals.ts';
import { admit } from '../../db/deployments/admission.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import {
  type ChannelKind,
  channelKinds,
  type NotificationKind,
  notificationKinds,
} from '../../domain/notifications/notifications.ts';
import { type Role, roles } from '../../domain/roles.ts';
import type { WholeDatabase } from '../ground/whole-database.ts';
import { fc } from '../run/drawn.ts';
import { machine, seedMember, seedOrganization } from '../seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../seeds/seed-place.ts';
import { tenantRow } from '../seeds/tenant-row.ts';

let releases = 0;
const events = ['approval', 'failed', 'live', 'lost', 'back'] as const;

/** The table of events, as the specification has it. */
interface Row {
  kind: NotificationKind;
  inbox: { requester?: true; admins?: true; exceptRequester?: true };
  chat: boolean;
  pager?: 'opens' | 'resolves';
}
function rowOf(event: (typeof events)[number], production: boolean): Row {
  const rows: Record<(typeof events)[number], Row> = {
    approval: { kind: 'approval', inbox: { admins: true, exceptRequester: true }, chat: true },
    failed: production
      ? { kind: 'failure', inbox: { requester: true, admins: true }, chat: true, pager: 'opens' }
      : { kind: 'failure', inbox: { requester: true }, chat: false },
    live: production
      ? { kind: 'deploy', inbox: { requester: true }, chat: true, pager: 'resolves' }
      : { kind: 'deploy', inbox: {}, chat: false },
    lost: { kind: 'warning', inbox: { admins: true }, chat: true, pager: 'opens' },
    back: { kind: 'warning', inbox: {}, chat: false, pager: 'resolves' },
  };
  return rows[event];
}

interface Member {
  role: Role;
  /** Signed in no more, a member no more, or of another organization besides. */
  is: 'here' | 'disabled' | 'gone' | 'elsewhere, too';
}
interface Channel {
  kind: ChannelKind;
  events: NotificationKind[];
  enabled: boolean;
}
const member = fc.record<Member>({
  role: fc.constantFrom(...roles),
  is: fc.constantFrom('here', 'here', 'disabled', 'gone', 'elsewhere, too'),
});
const channel = fc.record<Channel>({
  kind: fc.constantFrom(...channelKinds),
  events: fc.uniqueArray(fc.constantFrom(...notificationKinds), { minLength: 1 }),
  enabled: fc.boolean(),
});
const happening = fc.record({
  event: fc.constantFrom(...events),
  production: fc.boolean(),
  /** By their place in the list; nobody in person, where there is none. */
  requester: fc.nat(7),
});

/** Whatever happens, it is told to whom the table says, once. */
export async function tellsByTheTable(database: WholeDatabase, draws: number): Promise<void> {
  await beatAsApi(database);
  const given = fc.record({
    members: fc.array(member, { minLength: 1, maxLength: 6 }),
    channels: fc.array(channel, { maxLength: 4 }),
    happenings: fc.array(happening, { minLength: 1, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ members, channels, happenings }) => {
      const organizationId = await seedOrganization(database);
      const people = await Promise.all(members.map((one) => seeded(database, organizationId, one)));
      const ids = await Promise.all(channels.map((one) => seededChannel(database, organizationId, one)));
      const places = {
        production: await seedPlace(database, organizationId, { production: true }),
        other: await seedPlace(database, organizationId),
      };
      const expected = { inboxes: [] as string[], messages: [] as string[], incidents: [] as string[] };
      const open = new Map<string, Set<string>>();
      for (const { event, production, requester } of happenings) {
        const place = production ? places.production : places.other;
        const asking = people[requester];
        const author: Author = asking === undefined ? machine : { kind: 'user', id: asking, name: 'Somebody' };
        const subject = await happen(database, event, place, author);
        // A cluster that is lost already is not lost once more, and one that is there does not come back.
        if (subject === undefined) continue;
        const { kind, inbox, chat, pager } = rowOf(event, production);
        const told = members.flatMap(({ role, is }, at) => {
          const asked = at === requester;
          const concerned =
            (inbox.requester === true && asked) ||
            (inbox.admins === true &&
              (role === 'admin' || role === 'owner') &&
              !(inbox.exceptRequester === true && asked));
          return concerned && (is === 'here' || is === 'elsewhere, too') ? [`${people[at]} ${kind}`] : [];
        });
        expected.inboxes.push(...told);
        for (const [at, one] of channels.entries()) {
          const id = ids[at] ?? '';
          const hears = one.enabled && one.events.includes(kind);
          if (one.kind === 'chat_webhook' && chat && hears) expected.messages.push(`${id} ${kind}`);
          if (one.kind !== 'incident_pager') continue;
          const opened = open.get(id) ?? new Set();
          open.set(id, opened);
          if (pager === 'opens' && hears && !opened.has(subject)) {
            opened.add(subject);
            expected.incidents.push(`${id} ${subject}`);
          }
          if (event === 'live' || event === 'back') opened.delete(subject);
        }
      }
      expect(await found(database, organizationId)).toEqual({
        inboxes: expected.inboxes.toSorted(),
        messages: expected.messages.toSorted(),
        incidents: expected.incidents.toSorted(),
        unresolved: [...open].flatMap(([id, subjects]) => [...subjects].map((one) => `${id} ${one}`)).toSorted(),
      });
    }),
    { numRuns: draws },
  );
}

/** Inboxes are told while an API listens. */
async function beatAsApi({ kysely }: WholeDatabase): Promise<void> {
  const listening = sql`now() - interval '1 day'`;
  await sql`insert into process (id, kind, version, state, present_since) values (${uuid()}, 'api', '1', '{}', ${listening})`.execute(
    kysely,
  );
}

async function seeded(database: WholeDatabase, organizationId: string, { role, is }: Member): Promise<string> {
  const id = await seedMember(database, organizationId, role);
  if (is === 'disabled') {
    await database.kysely.updateTable('app_user').set({ disabled_at: new Date() }).where('id', '=', id).execute();
  }
  if (is === 'gone') {
    await tenant(database.kysely, organizationId).deleteFrom('membership').where('user_id', '=', id).execute();
  }
  if (is === 'elsewhere, too') {
    const elsewhere = tenant(database.kysely, await seedOrganization(database));
    await elsewhere.insertInto('membership').values({ user_id: id, role: 'owner' }).execute();
  }
  return id;
}

async function seededChannel(
  database: WholeDatabase,
  organizationId: string,
  { kind, events: kinds, enabled }: Channel,
): Promise<string> {
  const id = uuid();
  await sql`insert into notification_channel (id, organization_id, kind, label, events, enabled, hint)
    values (${id}, ${organizationId}, ${kind}, 'one', ${JSON.stringify(kinds)}::jsonb, ${enabled}, '')`.execute(
    database.kysely,
  );
  return id;
}

/** The subject of what happened; undefined: nothing did. */
async function happen(
  database: WholeDatabase,
  event: (typeof events)[number],
  place: SeededPlace,
  author: Author,
): Promise<string | undefined> {
  const { organizationId, projectId, environmentId, serviceId, clusterId } = place;
  const agent = database.kysely.updateTable('cluster_agent').where('cluster_id', '=', clusterId);
  if (event === 'approval') {
    const id = uuid();
    const by = { requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name };
    const row = { id, project_id: projectId, environment_id: environmentId, deployment_id: null, change_set_id: null };
    await tenantRow(database, 'approval', organizationId, { ...row, ...by, kind: 'change-set' });
    const asked = { approvalId: id, projectId, environmentId, environment: 'Production' };
    await effect(database, author, (asking) =>
      askDeciders(asking, organizationId, {
        ...asked,
        ...{ kind: 'change-set', reason: '', requestedBy: author, answerableId: undefined },
      }),
    );
    return 'an approval';
  }
  if (event === 'lost') {
    await agent.set({ last_heartbeat_at: sql`now() - interval '1 hour'` }).where('contact', '=', 'connected').execute();
    return (await declareLost(database)) === 0 ? undefined : `cluster ${clusterId}`;
  }
  if (event === 'back') {
    const row = await database.kysely
      .selectFrom('cluster_agent')
      .select(['contact', 'incarnation'])
      .where('cluster_id', '=', clusterId)
      .executeTakeFirstOrThrow();
    if (row.contact !== 'lost') return undefined;
    const cluster = { id: clusterId, organizationId };
    await effect(database, machine, (back) => regainContact(back, cluster, row.incarnation));
    return `cluster ${clusterId}`;
  }
  const id = uuid();
  const { id: releaseId } = await seedRelease(database, place, ++releases);
  const project = { organizationId, projectId };
  const deployment = { id, kind: 'deploy' as const, queue: true, environmentId, serviceId, releaseId };
  await effect(database, author, async (asking) => {
    await admit(asking, project, { event: 'create', deployments: [deployment] });
    await admit(asking, project, { event: 'claim', id });
  });
  for (let times = 0; times < 2; times += 1) {
    await effect(database, machine, (ending) =>
      admit(ending, project, { event: 'finish', id, state: event, message: 'It ended.' }),
    );
  }
  return `deployments of ${serviceId} in ${environmentId}`;
}

async function found({ kysely }: WholeDatabase, organizationId: string) {
  const texts = async (rows: Promise<{ rows: { text: string }[] }>) =>
    (await rows).rows.map(({ text }) => text).toSorted();
  return {
    inboxes: await texts(
      sql<{ text: string }>`select concat(user_id, ' ', kind) as text from notification
        where organization_id = ${organizationId}`.execute(kysely),
    ),
    messages: await texts(
      sql<{ text: string }>`select concat(notification_channel_id, ' ', kind) as text from delivery
        where organization_id = ${organizationId}`.execute(kysely),
    ),
    incidents: await texts(
      sql<{ text: string }>`select concat(notification_channel_id, ' ', subject) as text from incident
        where organization_id = ${organizationId}`.execute(kysely),
    ),
    unresolved: await texts(
      sql<{ text: string }>`select concat(notification_channel_id, ' ', subject) as text from incident
        where organization_id = ${organizationId} and resolved_at is null`.execute(kysely),
    ),
  };
}
