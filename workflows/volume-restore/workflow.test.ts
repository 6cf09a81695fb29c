import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { commandBody, finishCommand, ownCommand } from '../../db/commands/cluster-commands.ts';
import { listDeletedThings } from '../../db/deletions/things/deleted-things.ts';
import { requestPurgeOfThing } from '../../db/deletions/things/purge-thing.ts';
import { restoreThing } from '../../db/deletions/things/restore-thing.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { createObjectStore } from '../../db/object-stores/object-stores.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { reviveLeft } from '../../db/services/removal/left-volumes.ts';
import { requestVolumeBackup } from '../../db/volume-backups/volume-backups.ts';
import {
  cancelVolumeRestore,
  findVolumeRestore,
  noteReplaced,
  requestVolumeRestore,
  takeRestoreProgress,
} from '../../db/volume-backups/volume-restores.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { defaultProcess, emptyDefinition } from '../../domain/services/settings.ts';
import { tester } from '../../test/actors/actors.ts';
import { type ServedGround, servedGround } from '../../test/actors/grounds/served-ground.ts';
import { until } from '../../test/ground/until.ts';
import { unreachedBucket } from '../../test/operations/change-examples.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedDeployment, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

type Result = Omit<Parameters<typeof finishCommand>[3], 'attempt'>;

const stored = { sha256: 'a'.repeat(64), sizeBytes: 7, archiveBytes: 10_240 };
const done: Result = { outcome: 'done', exitCode: 0 };
let actors: ServedGround;
let place: SeededPlace;
let volumeId: string;
let backupId: string;
beforeAll(async () => {
  actors = await servedGround();
});
afterAll(() => actors.close());

beforeEach(async () => {
  const organizationId = await seedOrganization(actors.database);
  place = await seedPlace(actors.database, organizationId);
  const { serviceId, processId } = place;
  volumeId = crypto.randomUUID();
  const volume = { name: 'data', mount_path: '/data', size_bytes: 1_000 };
  await tenant(actors.database.kysely, organizationId)
    .insertInto('volume')
    .values({ id: volumeId, service_id: serviceId, process_id: processId, ...volume })
    .execute();
  const given = { ...unreachedBucket(), region: 'r', prefix: 'kept', forcePathStyle: true };
  backupId = await run(async (making) => {
    const connection = { ...given, certificateAuthority: '', lastError: '' };
    const store = await createObjectStore(making, actors.keyring, organizationId, connection);
    const backup = await requestVolumeBackup(making, {
      ...of(),
      objectStoreId: store.id,
      method: 'archive',
      quiesce: false,
    });
    await making.kysely
      .updateTable('volume_backup')
      .set({ state: 'succeeded', finished_at: sql`now()`, sha256: stored.sha256 })
      .set({ size_bytes: stored.sizeBytes, archive_bytes: stored.archiveBytes })
      .where('id', '=', backup.id)
      .execute();
    return backup.id;
  });
});

const run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(actors.database, tester, work);
const of = () => {
  const { organizationId, projectId, environmentId, serviceId, clusterId } = place;
  const names = { environmentName: 'Staging', serviceName: 'Web', volumeName: 'data' };
  return { organizationId, projectId, environmentId, serviceId, volumeId, clusterId, ...names };
};
const cluster = () => ({ id: place.clusterId, organizationId: place.organizationId });
const deliver = (id: string) => actors.delivery.deliver(actorId('volume-restore', id));
const result = (id: string) => actors.temporal.client.workflow.getHandle(actorId('volume-restore', id)).result();
const deleted = () => listDeletedThings(actors.database.kysely, place.organizationId, { limit: 10 });
const row = async (id: string) => {
  const found = await findVolumeRestore(actors.database.kysely, place.organizationId, id);
  if (found === undefined) throw new Error(`The restore ${id} is not there.`);
  return found;
};
const says = (id: string, what: object) => until(JSON.stringify(what), async () => matches(await row(id), what));
const matches = (one: object, what: object) =>
  Object.entries(what).every(([key, value]) => Reflect.get(one, key) === value);

async function request(): Promise<string> {
  const { id } = await run((asking) => requestVolumeRestore(asking, of(), { backupId }));
  await deliver(id);
  return id;
}

async function asked(id: string) {
  const { sealed_body: sealed } = await actors.database.kysely
    .selectFrom('cluster_command')
    .select('sealed_body')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return await commandBody(actors.keyring, place.organizationId, id, sealed);
}

/** As the agent tells it. */
async function ends(id: string, told: Result, replaced = told === done): Promise<void> {
  await run(async (finishing) => {
    await finishCommand(finishing, cluster(), id, { attempt: 1, ...told });
    if (replaced) await noteReplaced(finishing, cluster(), id, { kept: true, stoppedMillis: 1_500 });
  });
  await deliver(id);
}

test('the agent is asked for the archive of the backup, and what it has replaced is in Deleted, from where it is put back', async () => {
  const id = await request();
  await says(id, { state: 'running' });
  const names = { volume: `v-${volumeId}`, keptAs: `r-${id}` };
  expect(await asked(id)).toMatchObject({
    ...{ kind: 'restore-volume', key: `env/${place.environmentId}/${place.serviceId}`, ...names },
    from: { store: { prefix: 'kept/' }, objectKey: expect.stringContaining(backupId), stored },
  });
  const told = (progress: Parameters<typeof takeRestoreProgress>[2]) =>
    run((taking) => takeRestoreProgress(taking, { id, organizationId: place.organizationId }, progress));
  await told({ phase: 'replacing', fetchedBytes: 7, archiveBytes: 10_240 });
  // A piece that comes late takes nothing back.
  await told({ phase: 'fetching', fetchedBytes: 5, archiveBytes: 5_000 });
  expect(await row(id)).toMatchObject({ replacing: true, fetchedBytes: 7, archiveBytes: 10_240 });
  await ends(id, done);
  expect(await result(id)).toBe('succeeded');
  expect(await row(id)).toMatchObject({ state: 'succeeded', message: null, stoppedMillis: 1_500 });
  const [kept] = await deleted();
  expect(kept).toMatchObject({
    ...{ kind: 'left-volume', name: 'data', restorable: true },
    detail: expect.stringMatching(/^\/data, 1 kB, in Staging on the cluster .+, replaced by a restore$/),
  });
  if (kept === undefined) return;

  await run((restoring) => restoreThing(restoring, kept));
  const again = { id: await openRestore(id) };
  await deliver(again.id);
  await says(again.id, { state: 'running' });
  expect(await asked(again.id)).toMatchObject({ ...names, keptAs: `r-${again.id}`, from: { kept: `r-${id}` } });
  expect(await deleted()).toHaveLength(1);
  await expect(run((restoring) => restoreThing(restoring, kept))).rejects.toThrow('is being restored already');
  await ends(again.id, done);
  expect(await result(again.id)).toBe('succeeded');
  const [now, ...more] = await deleted();
  expect([now?.id === kept.id, more]).toEqual([false, []]);
  const deletion = await actors.database.kysely
    .selectFrom('deletion')
    .select('state')
    .where('id', '=', kept.deletionId)
    .executeTakeFirst();
  expect(deletion?.state).toBe('restored');
});

test.each<[string, Result, RegExp]>([
  ['failed', { outcome: 'failed', message: 'The disk is full.' }, /^The disk is full\.$/],
  ['was interrupted', { outcome: 'unknown' }, /look at the data of the volume, then restore again\.$/],
])('one whose agent %s keeps nothing in Deleted', async (_, told, message) => {
  const id = await request();
  await says(id, { state: 'running' });
  await ends(id, told);
  expect(await result(id)).toBe('failed');
  expect((await row(id)).message).toMatch(message);
  expect(await deleted()).toEqual([]);
});

test('one at a time restores a volume; it waits for a deployment of its service, and is cancelled meanwhile', async () => {
  const { id: releaseId } = await seedRelease(actors.database, place, 1);
  const rolling = { state: 'starting', finished_at: null, started_at: new Date() } as const;
  const deployment = await seedDeployment(actors.database, place, releaseId, rolling);
  const id = await request();
  await says(id, { state: 'queued', message: `Waits for the deployment ${deployment} of the service.` });
  await expect(request()).rejects.toThrow(`is being restored already (${id})`);
  const cancelled = await run(async (cancelling) => cancelVolumeRestore(cancelling, await row(id)));
  expect(cancelled).toMatchObject({ state: 'cancelled', message: 'The restore was cancelled before its turn came.' });
  await deliver(id);
  expect(await result(id)).toBe('cancelled');
  await expect(run(async (cancelling) => cancelVolumeRestore(cancelling, await row(id)))).rejects.toThrow(
    'cancelled already',
  );
});

test('of one that runs the agent is asked to stop, and what it has replaced all the same counts', async () => {
  const id = await request();
  await says(id, { state: 'running' });
  const taken = { state: 'delivered', lease_until: sql<Date>`now() + interval '1 hour'` } as const;
  await actors.database.kysely.updateTable('cluster_command').set(taken).where('id', '=', id).execute();
  await run(async (cancelling) => cancelVolumeRestore(cancelling, await row(id)));
  await deliver(id);
  await until('it is asked to stop', async () => {
    const command = await actors.database.kysely
      .selectFrom('cluster_command')
      .select('cancel_requested_at as at')
      .where('id', '=', id)
      .executeTakeFirst();
    return command?.at != null;
  });
  expect(await ownCommand(actors.database.kysely, cluster(), id).executeTakeFirst()).toMatchObject({
    state: 'delivered',
  });
  await ends(id, done);
  expect(await result(id)).toBe('succeeded');
});

test('data that were replaced are kept once, also where the actor had ended before the agent told of it', async () => {
  const id = await request();
  await says(id, { state: 'running' });
  await ends(id, { outcome: 'unknown' });
  expect(await result(id)).toBe('failed');
  for (const _ of ['once', 'twice']) await ends(id, done);
  expect(await deleted()).toMatchObject([{ kind: 'left-volume', name: 'data' }]);
  const elsewhere = { ...cluster(), id: crypto.randomUUID() };
  const other = await request();
  await run((telling) => noteReplaced(telling, elsewhere, other, { kept: true }));
  expect(await deleted()).toHaveLength(1);
});

test('kept data are no part of what is mounted; their purge deletes them alone, and waits for one who puts them back', async () => {
  const { organizationId, projectId, environmentId, serviceId, processId } = place;
  const volume = { name: 'data', mountPath: '/data', sizeBytes: 1_000, storageClass: '' };
  const settings = {
    ...emptyDefinition,
    processes: { [processId]: { ...defaultProcess, name: 'web', volumes: { [volumeId]: volume } } },
  };
  await tenant(actors.database.kysely, organizationId)
    .updateTable('environment_service')
    .set({ settings: sql`${JSON.stringify(settings)}::jsonb` })
    .where('service_id', '=', serviceId)
    .execute();
  const id = await request();
  await says(id, { state: 'running' });
  await ends(id, done);
  await result(id);
  await run((mounting) => reviveLeft(mounting, { organizationId, projectId }));
  const [kept] = await deleted();
  if (kept === undefined) throw new Error('Nothing is in Deleted.');

  await run((restoring) => restoreThing(restoring, kept));
  await run((purging) => requestPurgeOfThing(purging, kept));
  const deletion = actorId('deletion', kept.deletionId);
  await actors.delivery.deliver(deletion);
  await until('the purge waits', async () =>
    /The restore .+ puts them back\./.test((await deleted())[0]?.message ?? ''),
  );
  const open = await openRestore(id);
  await run(async (cancelling) => cancelVolumeRestore(cancelling, await row(open)));
  await until('the agent is asked', async () => (await purges(environmentId)).length > 0);
  expect(await purges(environmentId)).toEqual([[`r-${id}`]]);
});

async function openRestore(keptBy: string): Promise<string> {
  const { id } = await actors.database.kysely
    .selectFrom('volume_restore')
    .select('id')
    .where('kept_by_restore_id', '=', keptBy)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  return id;
}

/** The volumes that the agent was asked to delete. */
async function purges(environmentId: string): Promise<unknown[]> {
  const commands = await actors.database.kysely
    .selectFrom('cluster_command')
    .select(['id', 'sealed_body as sealed'])
    .where('cluster_id', '=', place.clusterId)
    .where('kind', '=', 'delete-volumes')
    .execute();
  const bodies = await Promise.all(
    commands.map(({ id, sealed }) => commandBody(actors.keyring, place.organizationId, id, sealed)),
  );
  return bodies.filter(({ key }) => String(key).startsWith(`env/${environmentId}/`)).map(({ volumes }) => volumes);
}
