import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { admit } from '../../../db/deployments/admission.ts';
import { ownApi } from '../../../test/api/own-api.ts';
import { type ReadStream, readStream } from '../../../test/ground/read-stream.ts';
import { until } from '../../../test/ground/until.ts';
import { type Watched, watchStatements } from '../../../test/installation/watched-statements.ts';
import { seedRelease } from '../../../test/seeds/seed-place.ts';
import { specifiedClocks } from '../../engine/streams/clocks.ts';

const readers = 24;
const hour = 3_600_000;
let watched: Watched;

const { api, ours } = await ownApi({
  env: { STREAMS_PER_CREDENTIAL: '1000' },
  // Whatever arrives was told by the feed.
  clocks: { ...specifiedClocks, reread: hour },
  onDatabase: (database) => {
    watched = watchStatements(database);
  },
});
const place = await ours.place();

async function started(): Promise<string> {
  const id = uuid();
  const { organizationId, projectId, environmentId, serviceId } = place;
  const release = await seedRelease(api.database, place, Number.parseInt(id.slice(-5), 16));
  const one = { id, environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true };
  await api.effect((creating) =>
    admit(creating, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return id;
}

const states = (stream: ReadStream) => stream.events('state').map(({ state }) => state);
const follow = (id: string, at = api) => readStream(at, `/api/v1/deployments/${id}/stream`, ours.tokens.viewer);

test('an event reaches all readers of a deployment without a question of each', async () => {
  const id = await started();
  const streams = await Promise.all(Array.from({ length: readers }, () => follow(id)));
  await until('all know the state', async () => streams.every((stream) => states(stream).length === 1));
  const asked = await watched.during(async () => {
    await ours.tokens.deployer.post(`/deployments/${id}/cancel`);
    await until('all have ended', async () => streams.every((stream) => stream.ended()));
  });
  expect(streams.map(states)).toEqual(streams.map(() => ['pending', 'cancelled']));
  const reads = asked.filter(({ sql }) =>
    /\bjoin deployment\b.*"releaseNumber"|"releaseNumber".*\bjoin deployment\b/s.test(sql),
  );
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThan(readers / 4);
});

test('readers of several deployments are told of their own', async () => {
  const [one, two] = [await started(), await started()];
  const streams = [await follow(one), await follow(two), await follow(uuid())];
  await until('the unknown one is closed', async () => streams[2]?.ended() ?? false);
  // The second one has superseded the first.
  await until('the first has ended', async () => streams[0]?.ended() ?? false);
  expect(streams.map((stream) => stream.events('state').map(({ id, state }) => [id, state]))).toEqual([
    [[one, 'superseded']],
    [[two, 'pending']],
    [],
  ]);
  await ours.tokens.deployer.post(`/deployments/${two}/cancel`);
  await until('the second has ended', async () => streams[1]?.ended() ?? false);
});

test('a change of which nobody was told arrives with the next read', async () => {
  const twin = await api.twin(specifiedClocks);
  const id = await started();
  const stream = await follow(id, twin);
  await until('the state', async () => states(stream).length === 1);
  await ours.rows.set('deployment', { id }, { state: 'cancelled', finished_at: new Date() });
  await until('the end', async () => stream.ended());
  expect(states(stream)).toEqual(['pending', 'cancelled']);
  await twin.close();
});
