import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finishCommand, ownCommand } from '../../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { createObjectStore, type ObjectStoreView } from '../../db/object-stores/object-stores.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { callNext } from '../../db/volume-backups/claim.ts';
import {
  cancelVolumeBackup,
  findVolumeBackup,
  requestVolumeBackup,
  takeBackupProgress,
} from '../../db/volume-backups/volume-backups.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { standstillMinor } from '../../domain/clusters/clusters.ts';
import { tester } from '../../test/actors/actors.ts';
import { type ServedGround, servedGround } from '../../test/actors/grounds/served-ground.ts';
import { until } from '../../test/ground/until.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import { seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedDeployment, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

type Result = Omit<Parameters<typeof finishCommand>[3], 'attempt'>;

describe.skipIf(!bucketsAreThere)('with a store', () => {
  let bucket: Bucket;
  let actors: ServedGround;
  let store: ObjectStoreView;
  let place: SeededPlace;
  let organizationId: string;
  let ada: string;
  beforeAll(async () => {
    [bucket, actors] = [await startBucket('backups/'), await servedGround()];
    organizationId = await seedOrganization(actors.database);
    ada = await seedMember(actors.database, organizationId, 'deployer');
    // An owner, who is not told.
    await seedMember(actors.database, organizationId, 'owner');
    place = await seedPlace(actors.database, organizationId);
    const { pathStyle: forcePathStyle, prefix: _, ...target } = bucket.target;
    const given = {
      ...target,
      forcePathStyle,
      prefix: 'backups',
      name: 'Ours',
      certificateAuthority: '',
      lastError: '',
    };
    store = await run((creating) => createObjectStore(creating, actors.keyring, organizationId, given));
  });
  afterAll(async () => {
    await actors.close();
    await bucket.stop();
  });

  const run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(actors.database, tester, work);
  const row = async (id: string) => {
    const found = await findVolumeBackup(actors.database.kysely, organizationId, id);
    if (found === undefined) throw new Error(`The backup ${id} is not there.`);
    return found;
  };
  const becomes = (id: string, state: string) => until(state, async () => (await row(id)).state === state);
  const cluster = () => ({ id: place.clusterId, organizationId });
  const deliver = (id: string) => actors.delivery.deliver(actorId('volume-backup', id));
  const result = (id: string) => actors.temporal.client.workflow.getHandle(actorId('volume-backup', id)).result();

  async function request(volumeId = crypto.randomUUID(), quiesce = false): Promise<{ id: string; objectKey: string }> {
    const { projectId, environmentId, serviceId, clusterId } = place;
    const names = { environmentName: 'Production', serviceName: 'Web', volumeName: 'data' };
    const of = { organizationId, projectId, environmentId, serviceId, volumeId, ...names };
    const where = { clusterId, objectStoreId: store.id, method: 'archive', quiesce } as const;
    const asking = { kind: 'user', id: ada, name: 'Ada' } as const;
    const backup = await effect(actors.database, asking, (one) => requestVolumeBackup(one, { ...of, ...where }));
    await deliver(backup.id);
    return backup;
  }

  async function ends(id: string, told: Result): Promise<void> {
    await run((finishing) => finishCommand(finishing, cluster(), id, { attempt: 1, ...told }));
    await deliver(id);
  }

  const toldOf = (id: string) =>
    tenant(actors.database.kysely, organizationId)
      .selectFrom('notification')
      .select(['user_id', 'kind', 'title', 'body', 'link'])
      .where('occasion', '=', `volume backup ${id} failed`)
      .execute();

  const sha256 = 'a'.repeat(64);
  /** As an agent stores it. */
  async function stored(objectKey: string): Promise<Result> {
    await bucket.client.put(objectKey, { pieces: [Buffer.from('archive')] });
    const warnings = ['log: file changed as we read it'];
    return { outcome: 'done', exitCode: 0, stored: { sha256, sizeBytes: 7, archiveBytes: 10_240, warnings } };
  }

  test('what the agent has stored is looked for in the store, and described beside it', async () => {
    const { id, objectKey } = await request();
    await becomes(id, 'running');
    const asked = await ownCommand(actors.database.kysely, cluster(), id).executeTakeFirst();
    expect(asked).toMatchObject({ kind: 'backup-volume', state: 'queued' });
    await run((taking) =>
      takeBackupProgress(taking, { id, organizationId }, { archiveBytes: 5, storedBytes: 3, volumeBytes: 9 }),
    );
    expect(await row(id)).toMatchObject({ archiveBytes: 5, storedBytes: 3, volumeBytes: 9 });
    await ends(id, await stored(objectKey));
    expect(await result(id)).toBe('succeeded');
    expect(await row(id)).toMatchObject({
      state: 'succeeded',
      sha256,
      sizeBytes: 7,
      archiveBytes: 10_240,
      message: null,
    });
    expect((await row(id)).warnings).toEqual(['log: file changed as we read it']);
    const pieces: Buffer[] = [];
    for await (const piece of await bucket.client.get(`${objectKey}.json`)) pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({
      backup: id,
      organization: organizationId,
      sha256,
    });
  });

  test('an object that is not there, or another one, is no backup, whatever the agent says', async () => {
    const { id, objectKey } = await request();
    const told = await stored(objectKey);
    await bucket.client.delete(objectKey);
    await becomes(id, 'running');
    await ends(id, told);
    expect(await result(id)).toBe('failed');
    expect(await row(id)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('does not have the object'),
    });
    const other = await request();
    await becomes(other.id, 'running');
    await ends(other.id, {
      ...(await stored(other.objectKey)),
      stored: { sha256, sizeBytes: 8, archiveBytes: 1, warnings: [] },
    });
    expect(await result(other.id)).toBe('failed');
    expect((await row(other.id)).message).toBe('The store has 7 bytes of an object of 8; back up again.');
    expect(await bucket.keys(other.objectKey)).toEqual([]);
  });

  test.each<[string, Result, RegExp]>([
    ['was interrupted', { outcome: 'unknown' }, /interrupted in the backup; back up again\.$/],
    ['failed', { outcome: 'failed', message: 'The disk is broken.' }, /^The disk is broken\.$/],
  ])('of one whose agent %s nothing stays in the store', async (_, told, message) => {
    const { id, objectKey } = await request();
    await becomes(id, 'running');
    await bucket.client.beginMultipart(objectKey);
    await stored(objectKey);
    await ends(id, told);
    expect(await result(id)).toBe('failed');
    expect((await row(id)).message).toMatch(message);
    expect(await toldOf(id)).toEqual([
      {
        ...{ user_id: ada, kind: 'failure', title: 'Backup of data (Web, Production) failed' },
        body: expect.stringMatching(/\. Backups from before are kept\.$/),
        link: expect.objectContaining({ type: 'volume_backup', volumeBackupId: id }),
      },
    ]);
    expect([await bucket.keys(objectKey), await bucket.uploads()]).toEqual([[], []]);
  });

  test('one that waits is cancelled at once; of one that runs the agent is asked to stop', async () => {
    const volumeId = crypto.randomUUID();
    const first = await request(volumeId);
    await becomes(first.id, 'running');
    const second = await request(volumeId);
    await until(
      'it waits',
      async () => (await row(second.id)).message === 'Waits for the backups before it on this cluster.',
    );
    const cancelled = await run(async (cancelling) => cancelVolumeBackup(cancelling, await row(second.id)));
    expect(cancelled).toMatchObject({ state: 'cancelled', message: 'The backup was cancelled before its turn came.' });
    await deliver(second.id);
    expect(await result(second.id)).toBe('cancelled');
    await run(async (cancelling) => cancelVolumeBackup(cancelling, await row(first.id)));
    await deliver(first.id);
    await until('it is asked to stop', async () => {
      const command = await ownCommand(actors.database.kysely, cluster(), first.id).executeTakeFirst();
      return command?.state === 'cancelled';
    });
    await deliver(first.id);
    expect(await result(first.id)).toBe('cancelled');
  });

  test('one whose process is to stand still waits for a deployment of its service, and for an agent that knows how', async () => {
    const { id: releaseId } = await seedRelease(actors.database, place, 1);
    const rolling = { state: 'starting', finished_at: null, started_at: new Date() } as const;
    const deployment = await seedDeployment(actors.database, place, releaseId, rolling);
    const waits = (id: string, message: string) => until(message, async () => (await row(id)).message === message);
    const first = await request(undefined, true);
    await waits(first.id, `Waits for the deployment ${deployment} of the service.`);
    const { id: freely } = await request();
    await becomes(freely, 'running');
    await ends(freely, { outcome: 'failed' });
    const { kysely } = actors.database;
    await kysely
      .updateTable('deployment')
      .set({ state: 'live', finished_at: new Date() })
      .where('id', '=', deployment)
      .execute();
    const minor = (protocol_minor: number) =>
      kysely.updateTable('cluster_agent').set({ protocol_minor }).where('cluster_id', '=', place.clusterId).execute();
    await minor(standstillMinor - 1);
    await run(async (calling) => callNext(calling, 'volume_backup', place.clusterId));
    await deliver(first.id);
    await waits(first.id, 'Waits for the agent of the cluster to be updated.');
    await minor(standstillMinor);
    await run(async (calling) => callNext(calling, 'volume_backup', place.clusterId));
    await deliver(first.id);
    await becomes(first.id, 'running');
    const told = await stored(first.objectKey);
    await ends(first.id, { ...told, stored: { ...told.stored, stoppedMillis: 1_500 } });
    expect(await result(first.id)).toBe('succeeded');
    expect(await row(first.id)).toMatchObject({ quiesce: true, stoppedMillis: 1_500 });
  });

  test('two run on a cluster at once, and the end of one is the turn of the next', async () => {
    const [one, two, three] = [await request(), await request(), await request()];
    for (const { id } of [one, two]) await becomes(id, 'running');
    await until('the third waits', async () => (await row(three.id)).message !== null);
    await ends(one.id, await stored(one.objectKey));
    expect(await result(one.id)).toBe('succeeded');
    await deliver(three.id);
    await becomes(three.id, 'running');
    for (const { id, objectKey } of [two, three]) await ends(id, await stored(objectKey));
    for (const { id } of [two, three]) expect(await result(id)).toBe('succeeded');
  });
});
