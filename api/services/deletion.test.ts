import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const { api, ours } = await ownApi();

const { project, service, call, staged, applied } = madeProjects(() => ({ api, as: ours.tokens.admin }));
const admin = () => ours.sessions.admin;
const own = () => tenant(api.database.kysely, ours.organizationId);
const remove = (id: string, as = ours.tokens.admin, query = '') => as.delete(`/services/${id}${query}`);
const impactOf = async (id: string) => (await call('GET', `/services/${id}/deletion-impact`)).body;
const namesIn = async (path: string) =>
  ((await call('GET', path)).body.items as { name?: string; serviceName?: string }[]).map(
    (one) => one.name ?? one.serviceName,
  );

async function start(place: SeededPlace): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = place;
  const { id: releaseId } = await seedRelease(api.database, place, 1);
  const id = uuid();
  const one = { id, environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true };
  await api.effect((starting) =>
    admit(starting, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return id;
}

/** In no environment yet. */
const seeded = async (projectId: string) => {
  const { organizationId } = ours;
  return (await seedService(api.database, { organizationId, projectId }, { image: '' })).serviceId;
};

/** Adds these to production, where that waits for an approval. */
async function hold(environmentId: string, ...serviceIds: string[]) {
  const items = serviceIds.map((serviceId) => ({ kind: 'service.create', serviceId }));
  const view = await call('PUT', `/environments/${environmentId}/change-set/items:batch`, { items });
  const { id: changeSetId } = view.body.changeSet as { id: string };
  const as = ours.tokens.deployer;
  const held = await as.post(`/change-sets/${changeSetId}/apply`, {});
  const { id: approvalId } = held.body.approval as { id: string };
  await ours.rows.set('approval', { id: approvalId }, { answerable_id: null });
  return { changeSetId, approvalId };
}

test('nobody finds it any more, nothing of it is staged, its slug is free, and its rows stay', async () => {
  const { id, staging, production } = await project();
  const made = await applied(await service(id, { name: 'Gone' }), [staging]);
  await service(id, { name: 'Stays' });
  const { id: serviceId, slug } = made.service;
  const item = { kind: 'variable.set', serviceId, key: 'A', value: '1' };
  await call('PUT', `/environments/${staging}/change-set/items`, item);
  await call('PUT', `/environments/${production}/change-set/items`, { kind: 'service.create', serviceId });
  expect(await impactOf(serviceId)).toMatchObject({
    role: 'deployer',
    environments: [{ id: staging, production: false, live: false }],
    stagedChanges: 2,
    deployments: [],
    approvals: [],
    dependents: [],
    heldWith: [],
  });
  ok(await remove(serviceId, ours.tokens.deployer), 204);
  for (const path of ['', '/processes', '/deletion-impact', '/deployments', '/releases']) {
    expect((await call('GET', `/services/${serviceId}${path}`)).status).toBe(404);
  }
  expect((await call('GET', `/processes/${made.processes[0]?.id}`)).status).toBe(404);
  expect((await remove(serviceId)).status).toBe(404);
  expect(await namesIn(`/projects/${id}/services`)).toEqual(['Stays']);
  expect(await namesIn(`/projects/${id}/services?environmentId=${staging}`)).toEqual(['Stays']);
  expect((await call('GET', `/environments/${staging}/overview`)).text).not.toContain(serviceId);
  expect((await call('GET', '/search?q=Gone')).text).not.toContain(serviceId);
  expect(await staged(production)).toEqual([]);
  expect((await staged(staging)).map((one) => one.serviceId)).not.toContain(serviceId);
  expect(await call('PUT', `/environments/${staging}/change-set/items`, item)).toMatchObject({ status: 422 });
  expect((await service(id, { name: 'Gone' })).service.slug).toBe(slug);
  const rows = await own().selectFrom('environment_service').select('settings').where('service_id', '=', serviceId);
  expect(await rows.execute()).toHaveLength(1);
  const log = await call('GET', `/audit-log?subjectId=${serviceId}&action=service.deleted`);
  expect(log.body.items).toMatchObject([
    {
      action: 'service.deleted',
      details: { environments: ['Staging'], stagedChanges: 2, deletionId: expect.any(String) },
    },
  ]);
  expect((await api.rows.all('change_feed', { subject_id: serviceId })).every((one) => one.project_id === id)).toBe(
    true,
  );
});

test('one that production has is deleted by an admin', async () => {
  const { id, staging, production } = await project();
  const made = await applied(await service(id, { name: 'Api' }), [staging, production]);
  const serviceId = made.service.id;
  expect(await impactOf(serviceId)).toMatchObject({ role: 'admin' });
  expect(await remove(serviceId, ours.tokens.deployer)).toMatchObject({
    status: 403,
    body: { detail: '"Api" runs in production: only admins delete it.' },
  });
  expect((await remove(serviceId, ours.tokens.viewer)).status).toBe(403);
  const limited = await ours.token('admin', [(await project()).id]);
  expect((await remove(serviceId, limited)).status).toBe(404);
  expect((await remove(serviceId)).status).toBe(204);
});

test('409 while others depend on it: by their definition, by what is applied, or by what is staged', async () => {
  const { id, staging } = await project();
  const redis = await applied(await service(id, { name: 'Redis' }), [staging]);
  const web = await applied(await service(id, { name: 'Web', dependsOn: ['redis'] }), [staging]);
  const refused = await remove(redis.service.id);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      detail: '"Redis" is needed by "Web" (in Staging): take it out of their dependencies, and apply that, first.',
    },
  });
  expect(await impactOf(redis.service.id)).toMatchObject({
    dependents: [{ id: web.service.id, slug: 'web', environments: ['Staging'] }],
  });
  await call('PATCH', `/services/${web.service.id}`, { dependsOn: [] });
  // Staged alone, it is applied as before.
  expect((await remove(redis.service.id)).status).toBe(409);
  await call('PATCH', `/services/${web.service.id}`, { dependsOn: ['redis'] });
  const places = own().updateTable('environment_service').where('service_id', '=', web.service.id);
  const { settings } = await ours.rows.one('environment_service', { service_id: web.service.id });
  await places.set({ settings: { ...settings, dependsOn: [] } }).execute();
  expect((await remove(redis.service.id)).status).toBe(409);
  await call('PATCH', `/services/${web.service.id}`, { dependsOn: [] });
  expect((await remove(redis.service.id)).status).toBe(204);
});

test('a held change set of it alone is cancelled; one that has others too is decided first', async () => {
  const { id: projectId, production } = await project();
  const [alone, shared, other] = [await seeded(projectId), await seeded(projectId), await seeded(projectId)];
  const first = await hold(production, alone);
  const both = await hold(production, shared, other);
  expect(await impactOf(shared)).toMatchObject({ heldWith: [{ id: both.approvalId }], approvals: [] });
  expectProblem(await remove(shared), 409, both.approvalId);
  expect(await impactOf(alone)).toMatchObject({ heldWith: [], approvals: [{ id: first.approvalId }] });
  expect((await remove(alone)).status).toBe(204);
  expect((await call('GET', `/approvals/${first.approvalId}`)).body).toMatchObject({ decision: 'cancelled' });
  expect((await call('GET', `/change-sets/${first.changeSetId}`)).body).toMatchObject({
    changeSet: { state: 'cancelled' },
  });
  expect(await staged(production)).toEqual([]);
  const decided = { decision: 'rejected', reason: 'first' };
  ok(await admin().post(`/approvals/${both.approvalId}/decide`, decided));
  expect((await remove(shared)).status).toBe(204);
  expect((await staged(production)).map((one) => one.serviceId)).toEqual([other]);
});

test('a held rollback of it is cancelled with its approval', async () => {
  const place = await ours.place({ production: true });
  const { id: releaseId } = await seedRelease(api.database, place, 1);
  const held = await call('POST', `/releases/${releaseId}/rollback`, {});
  const { deployment, approval } = held.body as { deployment: { id: string }; approval: { id: string } };
  expect((await remove(place.serviceId)).status).toBe(204);
  expect((await call('GET', `/deployments/${deployment.id}`)).body).toMatchObject({ state: 'cancelled' });
  expect((await call('GET', `/approvals/${approval.id}`)).body).toMatchObject({ decision: 'cancelled' });
});

test('deployments that wait are cancelled with their approval, and its workload is no longer wanted', async () => {
  const place = await ours.place({ concurrency: 1 });
  const busy = await ours.place({ beside: place });
  await start(busy);
  const waiting = await start(place);
  const { clusterId, environmentId, serviceId } = place;
  const key = `env/${environmentId}/${serviceId}`;
  await ours.rows.add('cluster_slice', {
    cluster_id: clusterId,
    key,
    name: 'x',
    revision: 1,
    workload: { processes: [] },
  });
  expect(await impactOf(serviceId)).toMatchObject({ deployments: [{ id: waiting, state: 'pending', environmentId }] });
  expect((await remove(serviceId)).status).toBe(204);
  expect((await call('GET', `/deployments/${waiting}`)).body).toMatchObject({ state: 'cancelled' });
  expect((await ours.rows.find('cluster_slice', { key }))?.removed_at).toBeInstanceOf(Date);
  expect((await call('POST', `/services/${serviceId}/redeploy`, { environmentId })).status).toBe(404);
});
