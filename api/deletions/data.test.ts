import { expect, test } from 'vitest';
import { volumeName } from '../../domain/services/volumes.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { deletionsGround } from '../../test/seeds/made-deletions.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

const ground = deletionsGround();
const { api, ours, own, call, listed, itemOf, remove, restore, purge, actor, running, volumeOf, mounting } = ground;
const { project, service, staged, applied } = madeProjects(() => ({ api, as: ours.tokens.admin }));

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
  const { settings } = await ours.rows.one('environment_service', { service_id: serviceId });
  const [process] = Object.values(settings.processes);
  if (process === undefined) throw new Error('It has no process.');
  const mounting = {
    ...settings,
    processes: { [processId]: { ...process, replicas: 1, volumes: { [id]: definition } } },
  };
  await place().set({ settings: mounting }).execute();
  await ours.rows.remove('change_set_item', { service_id: serviceId });
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
  await ours.rows.set(
    'cluster_command',
    { actor_id: `deletion/${deletionId}` },
    { state: 'done', finished_at: new Date() },
  );
  expect(await actor(deletionId)).toMatchObject({ state: 'purged', message: null });
  expect(await ours.rows.all('volume', { id })).toEqual([]);
  expect((await ours.rows.find('release', { id: releaseId }))?.retired_at).toBeInstanceOf(Date);
});

test('the purge has agents delete the data, asks again a while after a failure, and waits for each', async () => {
  const place = await running();
  const { serviceId: id, clusterId } = place;
  await volumeOf(place);
  await remove(`/services/${id}`);
  const { deletionId = '' } = (await itemOf(id)) ?? {};
  await purge('service', id, place.name);
  const asked = () => ours.rows.all('cluster_command', { cluster_id: clusterId }, 'created_at');
  expect(await actor(deletionId)).toMatchObject({
    state: 'purging',
    waits: expect.stringContaining('is still to delete its data'),
  });
  await actor(deletionId);
  expect(await asked()).toMatchObject([
    { kind: 'delete-volumes', state: 'queued', actor_id: `deletion/${deletionId}` },
  ]);
  const end = (at: number, state: 'failed' | 'done', finishedAt = new Date()) =>
    asked().then((rows) =>
      ours.rows.set(
        'cluster_command',
        { id: rows[at]?.id ?? '' },
        { state, message: state === 'failed' ? 'It is mounted.' : null, finished_at: finishedAt },
      ),
    );
  await end(0, 'failed');
  expect(await actor(deletionId)).toMatchObject({ waits: expect.stringContaining('it said: It is mounted.') });
  // An agent that fails at once is not asked again at once.
  expect(await asked()).toHaveLength(1);
  await end(0, 'failed', new Date(Date.now() - 60_000));
  await actor(deletionId);
  expect(await asked()).toHaveLength(2);
  await end(1, 'done');
  expect(await actor(deletionId)).toMatchObject({ state: 'purged' });
});

const dataOf = async (name: string) =>
  (await listed()).filter((one) => one.kind === 'volume' && one.context.endsWith(name));
async function apply(environmentId: string, ...items: object[]) {
  for (const item of items) {
    ok(await call('PUT', `/environments/${environmentId}/change-set/items`, item));
  }
  const { changeSet } = (await call('GET', `/environments/${environmentId}/change-set`)).body as {
    changeSet: { id: string };
  };
  ok(await call('POST', `/change-sets/${changeSet.id}/apply`, { downtimeAccepted: true }));
}
const bodiesOf = async (deletionId: string) => {
  const rows = await ours.rows.all('cluster_command', { actor_id: `deletion/${deletionId}` });
  const opened = rows.map(async ({ id, cluster_id: clusterId, sealed_body: sealed }) => ({
    ...{ id, clusterId },
    body: JSON.parse(
      await api.keyring.decryptSecret(ours.organizationId, `cluster_command:${id}:sealed_body`, sealed as Buffer),
    ),
  }));
  return await Promise.all(opened);
};
const done = (deletionId: string) =>
  ours.rows.set('cluster_command', { actor_id: `deletion/${deletionId}` }, { state: 'done', finished_at: new Date() });

test('a service that is removed from one environment leaves its data there for the retention, and comes back to them', async () => {
  const place = await mounting();
  const { environmentId, serviceId, volumeId, clusterId, name } = place;
  await apply(environmentId, { kind: 'service.remove', serviceId });
  const [item] = await dataOf(name);
  if (item === undefined) throw new Error('Its data are not listed.');
  expect(item).toMatchObject({ kind: 'volume', name: 'data', restorable: true });
  expect(item.detail).toMatch(/^\/data, 1 bytes, in Staging on the cluster c-/);
  expect(await ours.rows.all('volume', { id: volumeId })).toHaveLength(1);
  const restored = await restore('volume', item.id);
  expect(restored.body, restored.text).toMatchObject({ id: item.id, kind: 'volume', name: 'data', stopped: false });
  expect(await staged(environmentId)).toMatchObject([{ kind: 'service.create', serviceId }]);
  expect(await dataOf(name)).toEqual([]);
  // Discarded, they are left again, with another clock.
  const draft = (await call('GET', `/environments/${environmentId}/change-set`)).body.changeSet as { id: string };
  await call('DELETE', `/change-sets/${draft.id}`);
  const [again] = await dataOf(name);
  expect(again?.deletionId).not.toBe(item.deletionId);
  await restore('volume', again?.id ?? '');
  await apply(environmentId);
  expect(
    (await ours.rows.all('environment_service', { service_id: serviceId }))[0]?.settings.processes[place.processId]
      ?.volumes,
  ).toHaveProperty(volumeId);
  await apply(environmentId, { kind: 'service.remove', serviceId });
  const [last] = await dataOf(name);
  if (last === undefined) throw new Error('Its data are not listed.');
  expect((await purge('volume', last.id, 'data')).status).toBe(204);
  expect(await actor(last.deletionId)).toMatchObject({
    state: 'purging',
    waits: expect.stringContaining('delete its data'),
  });
  expect(await dataOf(name)).toMatchObject([
    { restorable: false, detail: expect.stringContaining('is still to delete its data') },
  ]);
  expect(await bodiesOf(last.deletionId)).toMatchObject([
    { clusterId, body: { kind: 'delete-volumes', key: place.key, volumes: [volumeName(volumeId)] } },
  ]);
  await done(last.deletionId);
  expect(await actor(last.deletionId)).toMatchObject({ state: 'purged' });
  expect(await dataOf(name)).toEqual([]);
  expect((await ours.rows.find('release', { id: place.mountedBy }))?.retired_at).toBeInstanceOf(Date);
  expect(await ours.rows.all('volume', { id: volumeId })).toHaveLength(1);
});

test('an environment that moves leaves its data on the cluster before, has them again when it moves back, and not once they are purged', async () => {
  const place = await mounting();
  const { environmentId, clusterId, name } = place;
  const { clusterId: other } = await running();
  await ours.rows.remove('cluster_slice', { key: place.key });
  const move = (to: string) => call('PATCH', `/environments/${environmentId}`, { clusterId: to });
  expect((await move(other)).status).toBe(200);
  const [item] = await dataOf(name);
  expectProblem(await restore('volume', item?.id ?? ''), 409, 'move it back, then restore them');
  expect((await move(clusterId)).status).toBe(200);
  expect(await dataOf(name)).toEqual([]);
  expect(await api.rows.all('deletion', { id: item?.deletionId ?? '' })).toMatchObject([{ state: 'restored' }]);
  await move(other);
  const [left] = await dataOf(name);
  await purge('volume', left?.id ?? '', 'data');
  expect(await actor(left?.deletionId)).toMatchObject({ waits: expect.stringContaining('delete its data') });
  expect(await bodiesOf(left?.deletionId ?? '')).toMatchObject([{ clusterId }]);
  expectProblem(await move(clusterId), 409, 'are being purged');
  await done(left?.deletionId ?? '');
  expect(await actor(left?.deletionId)).toMatchObject({ state: 'purged' });
  expect((await move(clusterId)).status).toBe(200);
  // The purge of the service asks both clusters.
  await move(other);
  await remove(`/services/${place.serviceId}`);
  const { deletionId = '' } = (await itemOf(place.serviceId)) ?? {};
  await purge('service', place.serviceId, name);
  await actor(deletionId);
  expect((await bodiesOf(deletionId)).map((one) => one.clusterId).sort()).toEqual([clusterId, other].sort());
  await done(deletionId);
  expect(await actor(deletionId)).toMatchObject({ state: 'purged' });
  expect(await dataOf(name)).toEqual([]);
});

test('the volumes of a process that is deleted are kept for the retention, and bring it back', async () => {
  const place = await mounting();
  const { environmentId, serviceId, processId, volumeId } = place;
  ok(await call('POST', `/services/${serviceId}/processes`, { name: 'jobs', kind: 'worker' }), 201);
  await apply(environmentId);
  expect((await remove(`/processes/${processId}`)).status).toBe(204);
  await apply(environmentId);
  expect((await call('GET', `/processes/${processId}`)).status).toBe(404);
  expect(await itemOf(volumeId)).toMatchObject({ kind: 'volume', name: 'data', restorable: true });
  ok(await restore('volume', volumeId));
  expect(await staged(environmentId)).toMatchObject([{ kind: 'process.create', processId }]);
  await apply(environmentId);
  expect(await itemOf(volumeId)).toBeUndefined();
  expect((await call('GET', `/processes/${processId}/volumes`)).body.items).toMatchObject([
    { id: volumeId, name: 'data' },
  ]);
});
