import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../test/ground/fresh-database.ts';
import { descriptors } from '../workflows/descriptors.ts';
import { attemptTurns } from './attempts/turns.ts';
import { createActivities } from './index.ts';

const fresh = await freshDatabase();
const nothing = () => {
  throw new Error('Nothing is sealed here.');
};
const parts = {
  database: fresh.database,
  keyring: { encryptSecret: nothing, decryptSecret: nothing, derivedSecret: nothing },
  archive: async () => undefined,
  ingressDomain: 'localhost',
  outbound: { allowedRanges: [] },
  pagerUrl: 'https://pager.invalid',
  publicUrl: 'https://ballast.example.com',
  turns: attemptTurns(40),
};
afterAll(() => fresh.drop());

test('a worker has the activities of the frame, and of every kind those that its descriptor names', async () => {
  const ofKinds = Object.values(descriptors).flatMap(({ activities }): readonly string[] => activities);
  const made = Object.keys(await createActivities(parts));
  expect(made.toSorted()).toEqual(['archiveRun', 'claimActor', 'reportUnreadable', ...ofKinds].toSorted());
});

test('a kind without a file of activities does not start, and both places are named', async () => {
  await expect(createActivities(parts, [{ kind: 'volume', activities: ['fill'] }])).rejects.toThrow(
    'workflows/volume/descriptor.ts names fill, and there is no activities/volume.ts that makes them.',
  );
  await expect(createActivities(parts, [{ kind: 'caller', activities: ['fill'] }])).rejects.toThrow(
    'workflows/caller/descriptor.ts names fill, and activities/caller.ts exports no createActivities',
  );
});

test('a descriptor that names other activities than its file makes does not start, and both are named', async () => {
  await expect(createActivities(parts, [{ kind: 'cluster', activities: ['showCluster'] }])).rejects.toThrow(
    'workflows/cluster/descriptor.ts names showCluster, but activities/cluster.ts makes showCluster, deleteCluster',
  );
});
