import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { notificationKinds } from '../../domain/notifications/notifications.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { storeRelease, tellAvailableUpdates } from '../agent-updates/agent-releases.ts';
import { enrolAgent, welcomeAgent } from '../agents/cluster-agents.ts';
import { declareLost } from '../agents/lost-agents.ts';
import { requestClusterDeletion } from '../clusters/cluster-deletion.ts';
import { createEnrollmentToken } from '../clusters/enrollment-tokens.ts';
import { admit } from '../deployments/admission.ts';
import { withdraw } from '../deployments/withdraw.ts';
import { type Effect, effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { deleteService } from '../services/removal/delete-service.ts';
import { findService } from '../services/services.ts';
import { createNotificationChannel, listNotificationChannels } from './notification-channels.ts';
import { mostQueued } from './tell-channels.ts';

let organizationId: string;
let place: SeededPlace;
const fresh = await freshDatabase();
const since = sql`now() - interval '1 hour'`;
await sql`insert into process (id, kind, version, state, present_since) values (${uuid()}, 'api', '1', '{}', ${since})`.execute(
  fresh.database.kysely,
);
afterAll(() => fresh.drop());

const run = <T>(work: (effect: Effect) => Promise<T>) => effect(fresh.database, machine, work);
const sealing = { encryptSecret: async () => Buffer.from('sealed'), decryptSecret: async () => 'secret' };
const channel = (kind: 'chat_webhook' | 'incident_pager', events: readonly (typeof notificationKinds)[number][]) =>
  run((making) =>
    createNotificationChannel(making, sealing, organizationId, {
      ...{ kind, label: kind, events, secret: 'https://chat.example/a' },
    }),
  );

beforeEach(async () => {
  organizationId = await seedOrganization(fresh.database);
  await seedMember(fresh.database, organizationId, 'owner');
  place = await seedPlace(fresh.database, organizationId, { production: true });
  for (const kind of ['chat_webhook', 'incident_pager'] as const) await channel(kind, notificationKinds);
});

/** By the first words of its title, what chats are sent; and the incidents of pagers, by whether they are resolved. */
async function told(): Promise<{ chat: string[]; pager: string[] }> {
  const own = tenant(fresh.database.kysely, organizationId);
  const chat = await own.selectFrom('delivery').select('title').orderBy('created_at').orderBy('id').execute();
  const pager = await own.selectFrom('incident').select(['title', 'resolved_at']).orderBy('created_at').execute();
  const start = (title: string) => title.replaceAll(/ [sc]-\w+/g, '').replace(/ to Staging| in Staging/, '');
  return {
    chat: chat.map(({ title }) => start(title)),
    pager: pager.map((one) => `${start(one.title)}: ${one.resolved_at === null ? 'open' : 'resolved'}`),
  };
}

const project = () => ({ organizationId, projectId: place.projectId });
let releases = 0;
async function begin(): Promise<string> {
  releases += 1;
  const { id: releaseId } = await seedRelease(fresh.database, place, releases);
  const id = uuid();
  const { environmentId, serviceId } = place;
  const deployment = { id, kind: 'deploy' as const, queue: true, environmentId, serviceId, releaseId };
  await run(async (asking) => {
    await admit(asking, project(), { event: 'create', deployments: [deployment] });
    await admit(asking, project(), { event: 'claim', id });
  });
  return id;
}
const end = (id: string, state: 'live' | 'failed' | 'cancelled') =>
  run((ending) => admit(ending, project(), { event: 'finish', id, state, message: 'It ended.' }));
const ended = async (state: 'live' | 'failed' | 'cancelled') => await end(await begin(), state);
const production = (is: boolean) =>
  tenant(fresh.database.kysely, organizationId).updateTable('environment').set({ production: is }).execute();
const failedTitle = () => `Release #${releases} of failed to deploy`;

const cluster = () => ({ id: place.clusterId, organizationId });
const agent = () => fresh.database.kysely.updateTable('cluster_agent').where('cluster_id', '=', place.clusterId);
async function lose(): Promise<void> {
  await agent().set({ contact: 'connected', last_heartbeat_at: sql`now() - interval '1 hour'` }).execute();
  expect(await declareLost(fresh.database)).toBe(1);
}
const lostTitle = 'Cluster lost contact with its agent';

describe('beside the table of events', () => {
  test('neither end reaches anybody outside of production, but a healthy one resolves', async () => {
    await ended('failed');
    const title = failedTitle();
    await production(false);
    await ended('failed');
    expect(await told()).toEqual({ chat: [title], pager: [`${title}: open`] });
    await ended('live');
    expect(await told()).toEqual({ chat: [title], pager: [`${title}: resolved`] });
  });

  test('a healthy deployment of another service resolves nothing', async () => {
    await ended('failed');
    const title = failedTitle();
    place = await seedPlace(fresh.database, organizationId, { beside: place });
    await ended('live');
    expect((await told()).pager).toEqual([`${title}: open`]);
  });

  test('an agent update that becomes available reaches nobody outside', async () => {
    const [image, digest] = ['ballast-agent:2.0.0-222222222222', `sha256:${'2'.repeat(64)}`];
    await storeRelease(fresh.database.kysely, { image, version: '2.0.0', digest, bytes: Buffer.from('a'), proof: {} });
    await tellAvailableUpdates(fresh.database);
    const inbox = tenant(fresh.database.kysely, organizationId).selectFrom('notification').select('title');
    expect(await inbox.execute()).toHaveLength(1);
    expect(await told()).toEqual({ chat: [], pager: [] });
  });
});

describe('no incident stays open for ever', () => {
  test('of an agent that another one replaces, which is in contact for the first time', async () => {
    await lose();
    const credentialHash = Buffer.from(uuid());
    const { secret: token } = await run((making) => createEnrollmentToken(making, cluster()));
    await run((enrolling) => enrolAgent(enrolling, { token, credentialHash, version: '1', hostname: 'h' }));
    const hello = { minor: 0, version: '1', image: 'ballast-agent:1', journalId: uuid(), journalled: [], facts: {} };
    await run((welcoming) => welcomeAgent(welcoming, cluster(), credentialHash, hello));
    expect((await told()).pager).toEqual([`${lostTitle}: resolved`]);
  });

  test('of a cluster that is deleted, nor does one open while it is', async () => {
    await lose();
    await run((deleting) => requestClusterDeletion(deleting, cluster()));
    expect(await told()).toEqual({ chat: [lostTitle], pager: [`${lostTitle}: resolved`] });
    await lose();
    expect(await told()).toEqual({ chat: [lostTitle, lostTitle], pager: [`${lostTitle}: resolved`] });
  });

  test('of a service that is deleted, nor does a deployment open one that fails after that', async () => {
    await ended('failed');
    const title = failedTitle();
    const id = await begin();
    const service = await findService(fresh.database.kysely, organizationId, place.serviceId);
    if (service === undefined) throw new Error('There is no service.');
    await run((deleting) => deleteService(deleting, service, { check: () => undefined, wait: true }));
    await end(id, 'failed');
    expect((await told()).pager).toEqual([`${title}: resolved`]);
  });

  test('of a service that leaves the environment', async () => {
    await ended('failed');
    const title = failedTitle();
    const id = await begin();
    await run((leaving) => withdraw(leaving, { ...place }, { wait: true }));
    await tenant(fresh.database.kysely, organizationId)
      .deleteFrom('environment_service')
      .where('service_id', '=', place.serviceId)
      .execute();
    await end(id, 'failed');
    expect((await told()).pager).toEqual([`${title}: resolved`]);
  });
});

test('a channel for which very many messages wait takes no more, and says so until some have been sent', async () => {
  const [chat] = await listNotificationChannels(fresh.database.kysely, organizationId);
  const filled = await sql`insert into queued_delivery
      (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    select gen_random_uuid(), ${organizationId}, ${chat?.id}, 'waits ' || n, 'failure', 'Waits', '', '{}'
    from generate_series(1, ${mostQueued - 1}) as n`.execute(fresh.database.kysely);
  expect(filled.numAffectedRows).toBe(BigInt(mostQueued - 1));
  // All of the room is taken.
  await sql`insert into delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link, attempts)
    select gen_random_uuid(), ${organizationId}, ${chat?.id}, 'sent ' || n, 'failure', 'Sent', '', '{}', 1
    from generate_series(1, 200) as n`.execute(fresh.database.kysely);
  await sql`update notification_channel set last_error = 'It failed.' where id = ${chat?.id ?? ''}`.execute(
    fresh.database.kysely,
  );
  const now = async () => (await listNotificationChannels(fresh.database.kysely, organizationId))[0];
  expect(await now()).toMatchObject({ lastError: 'It failed.', pending: mostQueued + 199 });
  await ended('failed');
  const full = '10,000 messages wait for this channel; newer ones are left out until some have been sent.';
  expect(await now()).toMatchObject({ lastError: `It failed. ${full}`, pending: mostQueued + 200 });
  await ended('failed');
  expect(await now()).toMatchObject({ pending: mostQueued + 200 });
});
