import { afterAll, expect, test } from 'vitest';
import { notifyEnded } from '../../db/builds/build-notices.ts';
import { cancelBuild } from '../../db/builds/cancel-build.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { channelGround } from '../../test/actors/grounds/channel-ground.ts';
import { until } from '../../test/ground/until.ts';
import { seedMember } from '../../test/seeds/seed.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const builds = new BuildGround();
await builds.open();
const { database } = builds.actors;
const chats = await channelGround(builds.actors);
// The ground of channels has an organization of its own; builds go where the channel is.
builds.organizationId = chats.organizationId;
await chats.channel('chat_webhook', 'https://chat.example.com/hook');
await chats.channel('incident_pager', 'R0UTINGKEY0123456789abcdefABCDEF');
const starter = await seedMember(database, builds.organizationId, 'deployer');
// An owner, who is not told.
await seedMember(database, builds.organizationId, 'owner');
afterAll(() => builds.close());

const ended = async (id: string) => {
  await builds.handle(id).result();
  return id;
};
const request = async (place: SeededPlace, more: Parameters<typeof builds.request>[1] = {}) => {
  const id = await builds.request(place, { actorUserId: starter, ...more });
  await builds.becomes(id, 'running');
  return id;
};
const fails = async (place: SeededPlace, message?: string) => {
  const id = await request(place);
  await builds.ends(id, 'failed', message);
  return await ended(id);
};
const buildIn = ({ link }: { link: unknown }) => (link as { buildId?: string }).buildId;
/** Of a build: who has it in the inbox, and what chats and pagers were sent. */
const told = async (id: string) => {
  const own = tenant(builds.actors.database.kysely, builds.organizationId);
  const entries = await own.selectFrom('notification').select(['user_id', 'kind', 'title', 'body', 'link']).execute();
  const sent = await own.selectFrom('delivery').select(['title', 'link']).execute();
  const incidents = await own.selectFrom('incident').select('id').execute();
  return {
    inboxes: entries.filter((entry) => buildIn(entry) === id),
    chats: sent.filter((message) => buildIn(message) === id).map(({ title }) => title),
    pages: incidents.length,
  };
};

test('who started a build that failed hears why and what to do; chats hear of production alone, and nobody is paged', async () => {
  const place = await builds.place();
  const [id, again] = [await fails(place, 'The step install ended with code 1.'), await fails(place)];
  const { inboxes, ...rest } = await told(id);
  expect(rest).toEqual({ chats: [], pages: 0 });
  const { serviceName } = await builds.row(id);
  const title = `Build #1 of ${serviceName} for Staging failed`;
  const link = { type: 'build', buildId: id, projectId: place.projectId, environmentId: place.environmentId };
  expect(inboxes).toEqual([
    {
      ...{ user_id: starter, kind: 'failure', title, link: { ...link, serviceId: place.serviceId } },
      body: expect.stringMatching(/^The step install ended with code 1\.\n.*build again\.$/),
    },
  ]);
  // One that fails again is another event, with words of its own where the agent has none.
  expect((await told(again)).inboxes).toMatchObject([{ title: title.replace('#1', '#2') }]);
  const live = await fails(await builds.place({ production: true }));
  expect(await told(live)).toMatchObject({
    inboxes: [{ user_id: starter }],
    chats: [expect.stringMatching(/^Build #1 of .* failed$/)],
    pages: 0,
  });
  // The activity that runs twice tells it once.
  await builds.run((telling) => notifyEnded(telling, { id: live, organizationId: builds.organizationId }, 'failed'));
  expect(await told(live)).toMatchObject({ inboxes: [{}], chats: [{}] });
});

test('one that was built and cannot be deployed is told; one that is deployed, cancelled or superseded is not', async () => {
  const digest = `sha256:${'b'.repeat(64)}`;
  const built = async (suspended: boolean) => {
    const place = await builds.place();
    await tenant(builds.actors.database.kysely, builds.organizationId)
      .updateTable('environment_service')
      .set({ suspended })
      .where('service_id', '=', place.serviceId)
      .execute();
    const id = await request(place);
    await builds.pushed(place, digest);
    await builds.says(id, 0, { progress: { image: { digest } } });
    await builds.ends(id, 'done');
    return await ended(id);
  };
  const { inboxes } = await told(await built(true));
  expect(inboxes).toMatchObject([
    { user_id: starter, kind: 'failure', title: expect.stringMatching(/ for Staging built but not deployed$/) },
  ]);
  expect(inboxes[0]?.body).toMatch(/^The service is suspended here.*\n.*deploy its release/);
  expect((await told(await built(false))).inboxes).toEqual([]);
  const cancelled = await request(await builds.place());
  await builds.run((deciding) => cancelBuild(deciding, cancelled, 'web'));
  await builds.deliver(cancelled);
  await until('the agent was told', async () => (await builds.command(cancelled))?.state === 'cancelled');
  await builds.deliver(cancelled);
  await ended(cancelled);
  expect((await told(cancelled)).inboxes).toEqual([]);
  await builds.run((telling) =>
    notifyEnded(telling, { id: cancelled, organizationId: builds.organizationId }, 'superseded'),
  );
  expect((await told(cancelled)).inboxes).toEqual([]);
});

test('a build that nobody started in person, such as one of a push, is told in no inbox', async () => {
  const id = await request(await builds.place({ production: true }), { actorUserId: undefined });
  await builds.ends(id, 'failed');
  await ended(id);
  expect(await told(id)).toMatchObject({ inboxes: [], chats: [{}] });
});
