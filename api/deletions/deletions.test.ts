import { expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { deletionsGround } from '../../test/seeds/made-deletions.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';

const { api, ours, own, call, listed, itemOf, remove, restore, purge, actor, running } = deletionsGround();
const { project, service, staged, applied } = madeProjects(() => ({ api, as: ours.tokens.admin }));
const wanted = async (key: string) => {
  return (await ours.rows.all('cluster_slice', { key, removed_at: null })).length > 0;
};
const suspended = async (serviceId: string) => {
  const rows = await ours.rows.all('environment_service', { service_id: serviceId });
  return rows.map((row) => row.suspended);
};

test('a service stops, is listed, and comes back with its settings, suspended; purged, nothing of it is left', async () => {
  const place = await running();
  const { serviceId: id, environmentId, name, releaseId } = place;
  const before = (await call('GET', `/services/${id}`)).body;
  expect((await remove(`/services/${id}`)).status).toBe(204);
  expect(await wanted(place.key)).toBe(false);
  expect(await itemOf(id)).toMatchObject({
    ...{ kind: 'service', name, slug: before.slug, projectId: place.projectId, restorable: true, detail: 'In Staging' },
    deletedBy: { type: 'token' },
  });
  expect((await restore('database', id)).status).toBe(404);
  const restored = await restore('service', id);
  expect(restored.body, restored.text).toMatchObject({ id, kind: 'service', name, slug: before.slug, stopped: true });
  expect((await call('GET', `/services/${id}`)).body).toMatchObject({ id, name, slug: before.slug });
  expect(await suspended(id)).toEqual([true]);
  const resumed = await call('POST', `/services/${id}/resume`, { environmentId });
  expect(resumed.status, resumed.text).toBeLessThan(300);
  const resuming = await api.sql<{ id: string }>`
    select id from deployment where service_id = ${id} and kind = 'resume'`;
  expect(resuming).toHaveLength(1);
  expect((await call('GET', `/environments/${environmentId}/overview`)).text).toContain(id);
  expect((await call('GET', `/releases/${releaseId}`)).status).toBe(200);
  expect(await itemOf(id)).toBeUndefined();
  expect((await restore('service', id)).status).toBe(404);
  expect((await remove(`/services/${id}`)).status).toBe(204);
  const deletionId = (await itemOf(id))?.deletionId;
  expect((await purge('service', id, 'wrong')).body.errors).toMatchObject([{ location: 'body.confirm' }]);
  expect((await purge('service', id, name)).status).toBe(204);
  expect(await itemOf(id)).toMatchObject({ restorable: false });
  expect((await restore('service', id)).status).toBe(409);
  expect(await actor(deletionId)).toMatchObject({ state: 'purged' });
  expect(await itemOf(id)).toBeUndefined();
  for (const table of ['environment_service', 'variable', 'release', 'service_process'] as const) {
    expect(await ours.rows.all(table, { service_id: id })).toEqual([]);
  }
  const log = await call('GET', `/audit-log?subjectId=${id}`);
  expect((log.body.items as { action: string }[]).map(({ action }) => action).toReversed()).toEqual([
    ...['service.deleted', 'service.restored', 'service.resumed'],
    ...['service.deleted', 'service.purge_requested', 'service.purged'],
  ]);
});

test('a taken slug is 409, with another one it is restored', async () => {
  const { id, staging } = await project();
  const made = await applied(await service(id, { name: 'Api' }), [staging]);
  await remove(`/services/${made.service.id}`);
  await service(id, { name: 'Api' });
  const refused = await restore('service', made.service.id);
  expect(refused).toMatchObject({ status: 409, body: { errors: [{ location: 'body.slug', value: 'api' }] } });
  expect((await restore('service', made.service.id, { slug: 'api-2' })).body).toMatchObject({
    slug: 'api-2',
    stopped: false,
  });
});

test('an environment stops all of its services, loses what is staged, and comes back', async () => {
  const place = await running();
  const beside = await running({ beside: place });
  const { environmentId: id, projectId } = place;
  const only = await service(projectId, { name: 'Only staged', environmentId: id });
  await ours.rows.add('shared_variable', { environment_id: id, key: 'C', value: '3', updated_by: 'Ada' });
  await call('PUT', `/environments/${id}/change-set/items`, {
    kind: 'variable.set',
    serviceId: place.serviceId,
    key: 'B',
    value: '2',
  });
  const impact = (await call('GET', `/environments/${id}/deletion-impact`)).body;
  expect(impact).toMatchObject({
    environment: { id, name: 'Staging', production: false, slug: 'staging' },
    cluster: { id: place.clusterId, removesNamespace: true },
    services: expect.arrayContaining([place, beside].map((one) => ({ id: one.serviceId, name: one.name }))),
    stagedServices: [{ id: only.service.id, name: 'Only staged' }],
    ...{
      databases: [],
      domains: [],
      backups: { count: 0, sizeBytes: 0 },
      archives: 0,
      previews: 0,
      previewBase: false,
    },
    ...{ variables: 3, volumes: { count: 0, sizeBytes: 0 }, inFlightDeployments: 0, pendingApprovals: 0 },
    ...{ stagedChanges: 2, lastEnvironment: true },
  });
  expect((await remove(`/environments/${id}`, ours.tokens.deployer)).status).toBe(403);
  expect((await remove(`/environments/${id}`)).status).toBe(204);
  expect([await wanted(place.key), await wanted(beside.key)]).toEqual([false, false]);
  for (const path of ['', '/overview', '/deletion-impact', '/change-set']) {
    expect((await call('GET', `/environments/${id}${path}`)).status, path).toBe(404);
  }
  expect((await call('GET', `/projects/${projectId}/environments`)).body.items).toEqual([]);
  expect((await call('GET', `/services/${only.service.id}`)).status).toBe(404);
  expect((await call('GET', `/services/${place.serviceId}`)).status).toBe(200);
  expect((await call('POST', `/services/${place.serviceId}/redeploy`, { environmentId: id })).status).toBe(404);
  expect((await call('POST', `/releases/${place.releaseId}/rollback`, {})).status).toBe(404);
  const other = await call('POST', `/projects/${projectId}/environments`, { name: 'Staging', production: false });
  expect(other.body).toMatchObject({ slug: 'staging' });
  expectProblem(await restore('environment', id), 409, [{ location: 'body.slug', value: 'staging' }]);
  const restored = await restore('environment', id, { slug: 'staging-2' });
  expect(restored.body, restored.text).toMatchObject({ id, slug: 'staging-2', stopped: true, projectId });
  expect([...(await suspended(place.serviceId)), ...(await suspended(beside.serviceId))]).toEqual([true, true]);
  expect(await staged(id)).toEqual([]);
  expect((await call('GET', `/environments/${id}`)).body.namespace).not.toBe(other.body.namespace);
});

test('a project takes along what is in it; what was deleted before it stays deleted, and needs it first', async () => {
  const { id, staging, production } = await project('Whole');
  const [before, with_] = [
    await applied(await service(id, { name: 'Before' }), [staging]),
    await applied(await service(id, { name: 'With' }), [staging, production]),
  ];
  const limited = await ours.token('admin', [id]);
  await remove(`/services/${before.service.id}`);
  expect((await call('GET', `/projects/${id}/deletion-impact`)).body).toMatchObject({
    project: { id, name: 'Whole', slug: 'whole' },
    environments: [{ id: production, production: true }, { id: staging }],
    ...{ services: 1, databases: 0, domains: 0, archives: 0, volumes: { count: 0, sizeBytes: 0 } },
  });
  expect((await remove(`/projects/${id}`, ours.tokens.deployer)).status).toBe(403);
  expect((await remove(`/projects/${id}`, limited)).status).toBe(204);
  for (const path of [`/projects/${id}`, `/environments/${staging}`, `/services/${with_.service.id}`]) {
    expect((await call('GET', path)).status).toBe(404);
    expect((await limited.get(path)).status).toBe(404);
  }
  expect((await call('GET', '/projects?limit=200')).text).not.toContain(id);
  expect((await call('GET', '/search?q=With')).text).not.toContain(with_.service.id);
  expect((await limited.get('/projects')).body.items).toEqual([]);
  expect(await listed(limited)).toMatchObject([
    { id, kind: 'project', detail: '2 environments, 1 service', restorable: true },
    { id: before.service.id, restorable: false, detail: expect.stringContaining('Restore the project "Whole" first') },
  ]);
  const early = await restore('service', before.service.id);
  expect(early).toMatchObject({ status: 409, body: { detail: expect.stringContaining('restore that first') } });
  expect((await restore('project', id)).body).toMatchObject({ id, slug: 'whole', stopped: false });
  expect((await limited.get(`/projects/${id}`)).status).toBe(200);
  expect((await call('GET', `/services/${before.service.id}`)).status).toBe(404);
  expect((await call('GET', `/services/${with_.service.id}`)).status).toBe(200);
  expect((await restore('service', before.service.id)).status).toBe(200);
});

test('the purge of a project ends the deletions of what is in it, and leaves no row but the account', async () => {
  const place = await running();
  const inner = await running({ beside: place });
  await remove(`/services/${inner.serviceId}`);
  const innerDeletion = (await itemOf(inner.serviceId))?.deletionId ?? '';
  const { name } = (await call('GET', `/projects/${place.projectId}`)).body as { name: string };
  await remove(`/projects/${place.projectId}`);
  const { deletionId } = (await itemOf(place.projectId)) ?? {};
  expect((await purge('project', place.projectId, name)).status).toBe(204);
  expect(await actor(deletionId)).toMatchObject({ state: 'purged' });
  expect(await api.rows.find('deletion', { id: innerDeletion })).toMatchObject({
    state: 'purged',
    finished_at: expect.any(Date),
  });
  expect(
    (await listed()).filter((one) => [place.serviceId, inner.serviceId, place.projectId].includes(one.id)),
  ).toEqual([]);
  for (const table of ['environment', 'service', 'environment_service', 'release'] as const) {
    const rows = own().selectFrom(table).select('organization_id').where('project_id', '=', place.projectId);
    expect(await rows.execute(), table).toEqual([]);
  }
});

test('another organization, a viewer and a token for the purge are refused', async () => {
  const { id } = await project('Guarded');
  await remove(`/projects/${id}`);
  const theirs = await api.organization();
  const path = `/deleted/project/${id}`;
  expect((await theirs.tokens.admin.post(`${path}/restore`)).status).toBe(404);
  expect((await api.as(ours.tokens.deployer).post(`${path}/restore`)).status).toBe(403);
  const body = { confirm: 'Guarded' };
  expect((await api.as(ours.tokens.admin).post(`${path}/purge`, body)).status).toBe(403);
  expect((await listed(theirs.tokens.admin)).length).toBe(0);
  expect((await listed(ours.tokens.viewer)).length).toBeGreaterThan(0);
  const elsewhere = await ours.token('admin', [(await project()).id]);
  expect(await listed(elsewhere)).toEqual([]);
  expect((await api.as(elsewhere).post(`${path}/restore`)).status).toBe(404);
});
