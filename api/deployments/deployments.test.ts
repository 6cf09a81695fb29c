import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { admit, type NewDeployment } from '../../db/deployments/admission.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';

import { type SeededPlace, type seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const { api, ours } = await ownApi();

const as = (role: 'viewer' | 'deployer' | 'admin') => ours.tokens[role];
const post = (path: string, body: unknown = {}, by = as('deployer')) => api.call('POST', path, { as: by, body });

/** A place where the second of two releases is live. */
async function living(more: Parameters<typeof seedPlace>[2] = {}) {
  const place = await ours.place(more);
  const first = await seedRelease(api.database, place, 1, { process: { replicas: 1, port: 8001 } });
  const second = await seedRelease(api.database, place, 2);
  const before = await start(place, second.id);
  await ours.rows.set('deployment', { id: before }, { state: 'live', finished_at: new Date() });
  await ours.rows.set(
    'environment_service',
    { service_id: place.serviceId },
    { live_release_id: second.id, live_deployment_id: before },
  );
  return { place, first, second };
}

async function start(place: SeededPlace, releaseId: string, more: Partial<NewDeployment> = {}): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = place;
  const id = uuid();
  const one = { id, environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true, ...more };
  await api.effect((starting) =>
    admit(starting, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return id;
}

const settingsOf = async ({ serviceId, processId }: SeededPlace) =>
  (await ours.rows.one('environment_service', { service_id: serviceId })).settings.processes[processId];
const variablesOf = async ({ serviceId }: SeededPlace) =>
  (await ours.rows.all('variable', { service_id: serviceId })).map(({ key, value }) => `${key}=${value}`);

test('a rollback deploys the release and makes its settings those of the environment, but for the replicas', async () => {
  const { place, first, second } = await living({ process: { replicas: 3 } });
  await ours.rows.add('variable', {
    environment_id: place.environmentId,
    service_id: place.serviceId,
    key: 'NEW',
    value: 'x',
    updated_by: 'A',
  });
  const rolled = await post(`/api/v1/releases/${first.id}/rollback`);
  expect(rolled).toMatchObject({
    status: 201,
    body: { deployment: { kind: 'rollback', state: 'pending', releaseNumber: 1 }, release: { number: 1 } },
  });
  expect(rolled.body.approval).toBeUndefined();
  expect(await settingsOf(place)).toMatchObject({ port: 8001, replicas: 3 });
  expect(await variablesOf(place)).toEqual(['RELEASE=1']);
  expect((await post(`/api/v1/releases/${second.id}/rollback`)).status).toBe(409);
});

test('in production a rollback is held; its settings change when it is approved', async () => {
  const { place, first } = await living({ production: true });
  const held = await post(`/api/v1/releases/${first.id}/rollback`, { reason: 'errors since #2' });
  expect(held).toMatchObject({
    status: 201,
    body: {
      approval: { kind: 'rollback', reason: 'errors since #2' },
      deployment: { state: 'pending', blocker: 'approval' },
    },
  });
  expect(await settingsOf(place)).toMatchObject({ port: 8080 });
  const { id } = held.body.approval as { id: string };
  const decided = await post(`/api/v1/approvals/${id}/decide`, { decision: 'approved' }, as('admin'));
  expect(decided, decided.text).toMatchObject({ status: 200, body: { decision: 'approved' } });
  expect(await settingsOf(place)).toMatchObject({ port: 8001 });
  const deployment = held.body.deployment as { id: string };
  const after = await as('viewer').get(`/deployments/${deployment.id}`);
  expect(after.body).toMatchObject({ state: 'pending', blocker: '' });
});

test('a retired release cannot be deployed, and nothing is redeployed where nothing is live', async () => {
  const { place, first } = await living();
  await ours.rows.set('release', { id: first.id }, { retired_at: new Date() });
  expectProblem(await post(`/api/v1/releases/${first.id}/rollback`), 409, 'Release #1');
  const { environmentId, serviceId } = place;
  const again = await post(`/api/v1/services/${serviceId}/redeploy`, { environmentId });
  expect(again).toMatchObject({ status: 201, body: { deployment: { kind: 'redeploy', releaseNumber: 2 } } });
  const empty = await ours.place();
  const nothing = await post(`/api/v1/services/${empty.serviceId}/redeploy`, { environmentId: empty.environmentId });
  expect(nothing.status).toBe(409);
});

test('with all slots taken a direct start is refused, unless it may wait', async () => {
  const { place } = await living({ concurrency: 1 });
  const other = await ours.place({ beside: place });
  const release = await seedRelease(api.database, other, 1);
  await start(other, release.id);
  const { environmentId, serviceId } = place;
  const path = `/api/v1/services/${serviceId}/redeploy`;
  expectProblem(await post(path, { environmentId }), 409, 'all 1 deployment slots');
  expect(await post(path, { environmentId, queue: true })).toMatchObject({
    status: 201,
    body: { deployment: { blocker: 'slot', message: expect.stringContaining('slot') } },
  });
  ok(await as('admin').patch(`/projects/${place.projectId}`, { deployConcurrency: 2 }));
  const waiting = await api
    .as(as('viewer'))
    .get(`/environments/${environmentId}/deployments?open=true&serviceId=${serviceId}`);
  expect(waiting.body.items).toMatchObject([{ blocker: '' }]);
});

test('one that waits is cancelled at once, and only once', async () => {
  const place = await ours.place();
  const id = await start(place, (await seedRelease(api.database, place, 1)).id);
  expect((await post(`/api/v1/deployments/${id}/cancel`, {}, as('viewer'))).status).toBe(403);
  expect(await post(`/api/v1/deployments/${id}/cancel`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  expect((await post(`/api/v1/deployments/${id}/cancel`)).status).toBe(409);
  const events = await as('viewer').get(`/deployments/${id}/events`);
  const kinds = (events.body.items as { kind: string }[]).map(({ kind }) => kind);
  expect(kinds).toEqual(['requested', 'finished']);
});

test('the stream tells the state of now, each change, and ends with the final one', async () => {
  const place = await ours.place();
  const id = await start(place, (await seedRelease(api.database, place, 1)).id);
  const stream = await readStream(api, `/api/v1/deployments/${id}/stream`, as('viewer'));
  await until('the first event', async () => stream.events('state').length === 1);
  await post(`/api/v1/deployments/${id}/cancel`);
  await until('the end', async () => stream.ended());
  expect(stream.events('state').map(({ state }) => state)).toEqual(['pending', 'cancelled']);
});

test('a token of other projects sees none of it, and lists keep to its own', async () => {
  const place = await ours.place();
  const other = await ours.place();
  const id = await start(place, (await seedRelease(api.database, place, 1)).id);
  const mine = await start(other, (await seedRelease(api.database, other, 1)).id);
  const limited = await ours.token('deployer', [other.projectId]);
  const get = (path: string) => api.call('GET', path, { as: limited });
  for (const path of ['', '/events']) expect((await get(`/api/v1/deployments/${id}${path}`)).status).toBe(404);
  expect((await get(`/api/v1/environments/${place.environmentId}/deployments`)).status).toBe(404);
  expect((await get(`/api/v1/services/${place.serviceId}/deployments`)).status).toBe(404);
  expect((await post(`/api/v1/deployments/${id}/cancel`, {}, limited)).status).toBe(404);
  const listed = await get('/api/v1/deployments');
  expect((listed.body.items as { id: string }[]).map((one) => one.id)).toEqual([mine]);
});

test('where it listened, what it may lack, and what visitors get, are facts beside the sentences; of another form they are left out', async () => {
  const { place, second } = await living();
  const id = await start(place, second.id, { kind: 'redeploy' });
  const listening = { port: 20_632, ownNetwork: false, sockets: [{ address: '0.0.0.0', port: 3000 }] };
  const unset = { path: '.env.example', names: ['DATABASE_URL'] };
  const failure = { process: 'web', instance: 'web-1', lines: [], listening, unset, answer: { kind: 'unknown' } };
  const warning = { kind: 'host', by: 'django', status: 400, path: '/', host: 'a.example.com' };
  const set = { state: 'failed', finished_at: new Date(), failure: JSON.stringify(failure) } as const;
  await ours.rows.set('deployment', { id }, {
    ...set,
    warnings: JSON.stringify([warning, { kind: 'of the future' }]),
  } as never);
  const { body } = await as('viewer').get(`/deployments/${id}`);
  expect(body.failure).toMatchObject({ process: 'web', listening, unset });
  expect(body.failure).not.toHaveProperty('answer');
  const message = expect.stringContaining('add that name to ALLOWED_HOSTS');
  expect(body.warnings).toEqual([{ ...warning, message }]);
});
