import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';

const { api, ours } = await ownApi();

const { project, service, call, applied, staged } = madeProjects(() => ({ api, as: ours.tokens.admin }));

/** A service with a second process, in two environments. */
async function twice() {
  const { id, staging } = await project();
  const other = String(
    (await call('POST', `/projects/${id}/environments`, { name: 'Test', production: false })).body.id,
  );
  const made = await service(id, { name: 'Api' });
  const serviceId = made.service.id;
  const second = async () =>
    String((await call('POST', `/services/${serviceId}/processes`, { name: 'worker', kind: 'worker' })).body.id);
  const isDefined = async (processId: string) => (await call('GET', `/processes/${processId}`)).status === 200;
  const draftOf = async (environmentId: string) =>
    (await call('GET', `/environments/${environmentId}/change-set`)).body as {
      changeSet: { id: string };
      items: { id: string }[];
    };
  const apply = async (environmentId: string) => {
    ok(await call('POST', `/change-sets/${(await draftOf(environmentId)).changeSet.id}/apply`, {}));
  };
  return { made, serviceId, staging, other, second, isDefined, draftOf, apply };
}

test('a process that was deleted goes with the last environment that had it', async () => {
  const { made, serviceId, staging, other, second, isDefined, apply } = await twice();
  const worker = await second();
  await applied(made, [staging, other]);
  expect((await call('DELETE', `/processes/${worker}`)).status).toBe(204);
  await apply(staging);
  expect(await isDefined(worker)).toBe(true);
  await apply(other);
  expect(await isDefined(worker)).toBe(false);
  const kept = await ours.rows.all('service_process', { service_id: serviceId });
  expect(kept).toMatchObject([{ name: 'web' }]);
});

test('one that a draft adds stays, also within a service that it adds, until that is discarded', async () => {
  const { made, serviceId, staging, other, second, isDefined, draftOf, apply } = await twice();
  const worker = await second();
  await applied(made, [staging]);
  await call('PUT', `/environments/${other}/change-set/items`, { kind: 'service.create', serviceId });
  expect((await call('DELETE', `/processes/${worker}?environmentId=${staging}`)).status).toBe(204);
  await apply(staging);
  expect(await isDefined(worker)).toBe(true);
  const { changeSet } = await draftOf(other);
  await call('DELETE', `/change-sets/${changeSet.id}`);
  expect(await staged(other)).toEqual([]);
  expect(await isDefined(worker)).toBe(false);
});

test('one that is staged in two drafts goes when the second discards it, or deletes it again', async () => {
  const { made, staging, other, second, isDefined, draftOf } = await twice();
  await applied(made, [staging, other]);
  const worker = await second();
  const [item] = (await draftOf(staging)).items;
  expect((await call('DELETE', `/change-set-items/${item?.id}`)).status).toBe(204);
  expect(await isDefined(worker)).toBe(true);
  expect((await call('DELETE', `/processes/${worker}?environmentId=${other}`)).status).toBe(204);
  expect(await staged(other)).toEqual([]);
  expect(await isDefined(worker)).toBe(false);
});

test('a rollback defines the processes of its release again', async () => {
  const { made, serviceId, staging, other, second, isDefined, apply } = await twice();
  const worker = await second();
  await applied(made, [staging]);
  const { settings } = await ours.rows.one('environment_service', { service_id: serviceId });
  const id = crypto.randomUUID();
  const content = { settings, image: { repository: 'x', digest: 'x', own: false }, variables: {} };
  await ours.rows.add('release', {
    ...{ id, environment_id: staging, service_id: serviceId, project_id: made.service.projectId, number: 1 },
    ...{ content, content_digest: 'x', image_ref: 'x', variable_keys: [], runs_as: 1, created_by: 'Ada' },
  });
  expect(other).toBeDefined();
  await call('DELETE', `/processes/${worker}`);
  await apply(staging);
  expect(await isDefined(worker)).toBe(false);
  ok(await call('POST', `/releases/${id}/rollback`, {}), 201);
  expect((await call('GET', `/processes/${worker}?environmentId=${staging}`)).body).toMatchObject({ name: 'worker' });
});
