import { afterAll, beforeAll, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { madeDeletions } from '../../test/seeds/made-deletions.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

let api: RunningApi;
let ours: Seeded;

beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

const { project, service, call, staged, applied } = madeProjects(() => ({ api, as: ours.tokens.admin }));
const { itemOf, remove, restore, purge, actor, running, volumeOf } = madeDeletions(() => ({ api, ours }));
const own = () => tenant(api.database.kysely, ours.organizationId);

test('a volume is listed when no environment mounts it any more, comes back staged, and is purged once nothing mounts it', async () => {
  // On its cluster the environments of projects lie.
  await running();
  const { id: projectId, staging } = await project('Data');
  const made = await applied(await service(projectId, { name: 'Db' }), [staging]);
  const [serviceId, processId] = [made.service.id, made.processes[0]?.id ?? ''];
  const volume = await call('POST', `/processes/${processId}/volumes`, {
    name: 'data',
    mountPath: '/data',
    sizeBytes: 2_000_000,
  });
  const id = String(volume.body.id);
  const definition = { name: 'data', mountPath: '/data', sizeBytes: 2_000_000, storageClass: '' };
  const place = () => own().updateTable('environment_service').where('service_id', '=', serviceId);
  const { settings } = await own()
    .selectFrom('environment_service')
    .select('settings')
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();
  const [process] = Object.values(settings.processes);
  if (process === undefined) throw new Error('It has no process.');
  const mounting = {
    ...settings,
    processes: { [processId]: { ...process, replicas: 1, volumes: { [id]: definition } } },
  };
  await place().set({ settings: mounting }).execute();
  await own().deleteFrom('change_set_item').where('service_id', '=', serviceId).execute();
  const { id: releaseId } = await seedRelease(
    api.database,
    { organizationId: ours.organizationId, projectId, environmentId: staging, serviceId, processId, clusterId: '' },
    1,
    { process: { volumes: { [id]: definition } } as never },
  );
  expect((await remove(`/volumes/${id}`)).status).toBe(204);
  expect(await itemOf(id)).toBeUndefined();
  const { id: changeSetId } = (await call('GET', `/environments/${staging}/change-set`)).body.changeSet as {
    id: string;
  };
  const body = { downtimeAccepted: true };
  expect((await call('POST', `/change-sets/${changeSetId}/apply`, body)).status).toBe(200);
  expect(await itemOf(id)).toMatchObject({
    kind: 'volume',
    name: 'data',
    slug: '',
    context: 'Data / Db',
    detail: '/data, 2 MB',
  });
  expect((await restore('volume', id)).body).toMatchObject({
    id,
    kind: 'volume',
    name: 'data',
    slug: '',
    stopped: false,
  });
  expect(await staged(staging)).toMatchObject([{ kind: 'volume.create', key: 'data' }]);
  expect((await call('GET', `/volumes/${id}`)).body).toMatchObject({ id, name: 'data' });
  const draft = (await call('GET', `/environments/${staging}/change-set`)).body.changeSet as { id: string };
  await call('DELETE', `/change-sets/${draft.id}`);
  expect((await remove(`/volumes/${id}`)).status).toBe(204);
  const { deletionId } = (await itemOf(id)) ?? {};
  expect((await purge('volume', id, 'data')).status).toBe(204);
  await place().set({ live_release_id: releaseId }).execute();
  expect(await actor(deletionId)).toMatchObject({
    state: 'purging',
    message: 'The environment "Staging" still mounts it.',
  });
  expect((await itemOf(id))?.detail).toContain('still mounts it');
  await place().set({ live_release_id: null }).execute();
  expect(await actor(deletionId)).toMatchObject({
    state: 'purging',
    waits: expect.stringContaining('delete its data'),
  });
  const commands = own().updateTable('cluster_command').where('actor_id', '=', `deletion/${deletionId}`);
  await commands.set({ state: 'done', finished_at: new Date() }).execute();
  expect(await actor(deletionId)).toMatchObject({ state: 'purged', message: null });
  expect(await own().selectFrom('volume').select('id').where('id', '=', id).execute()).toEqual([]);
  const retired = own().selectFrom('release').select('retired_at').where('id', '=', releaseId);
  expect((await retired.executeTakeFirst())?.retired_at).toBeInstanceOf(Date);
});

test('the purge has agents delete the data, asks again after a failure, and waits for each', async () => {
  const place = await running();
  const { serviceId: id, clusterId } = place;
  await volumeOf(place);
  await remove(`/services/${id}`);
  const { deletionId = '' } = (await itemOf(id)) ?? {};
  await purge('service', id, place.name);
  const asked = () =>
    own().selectFrom('cluster_command').selectAll().where('cluster_id', '=', clusterId).orderBy('created_at').execute();
  expect(await actor(deletionId)).toMatchObject({
    state: 'purging',
    waits: expect.stringContaining('is still to delete its data'),
  });
  await actor(deletionId);
  expect(await asked()).toMatchObject([
    { kind: 'delete-volumes', state: 'queued', actor_id: `deletion/${deletionId}` },
  ]);
  const end = (at: number, state: 'failed' | 'done') =>
    asked().then((rows) =>
      own()
        .updateTable('cluster_command')
        .set({ state, message: state === 'failed' ? 'It is mounted.' : null, finished_at: new Date() })
        .where('id', '=', rows[at]?.id ?? '')
        .execute(),
    );
  await end(0, 'failed');
  expect(await actor(deletionId)).toMatchObject({ waits: expect.stringContaining('it said: It is mounted.') });
  expect(await asked()).toHaveLength(2);
  await end(1, 'done');
  expect(await actor(deletionId)).toMatchObject({ state: 'purged' });
});
