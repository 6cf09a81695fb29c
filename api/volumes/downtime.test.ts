import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { type Answered, type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { machine } from '../../test/seeds/seed.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

let api: RunningApi;
let ours: Seeded;
/** A registry that has every image. */
let outside: Server;

const digest = `sha256:${'1'.repeat(64)}`;

beforeAll(async () => {
  outside = createServer((_, answer) => void answer.writeHead(200, { 'docker-content-digest': digest }).end());
  await new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve));
  api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
  ours = await seed(api.database);
});
afterAll(async () => {
  await api.close();
  outside.close();
});

const call = (method: string, path: string, body?: unknown, as = ours.sessions.deployer) =>
  api.call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) });
const ok = <T>(answered: Answered, status = 200): T => {
  expect(answered.status, answered.text).toBe(status);
  return answered.body as T;
};

interface Applied {
  changeSet: { downtimeAccepted: boolean };
  approval?: { id: string };
  deployments: { id: string; releaseId: string }[];
}

/** A service whose process has a volume, live in an environment. */
async function place(kind: 'staging' | 'production' = 'staging') {
  const made = await call('POST', '/projects', { name: `P ${crypto.randomUUID()}` }, ours.sessions.admin);
  const { project, environments } = made.body as { project: { id: string }; environments: { id: string }[] };
  const of = { organizationId: ours.organizationId, projectId: project.id };
  const image = `127.0.0.1:${(outside.address() as AddressInfo).port}/app@${digest}`;
  const service = await seedService(api.database, of, { slug: 'store', image });
  const environment = environments[kind === 'production' ? 0 : 1]?.id ?? '';
  const { serviceId, processId } = service;
  const stage = async (...items: object[]) =>
    ok(await call('PUT', `/environments/${environment}/change-set/items:batch`, { items }));
  const draft = async () =>
    ok<{
      changeSet: { id: string; downtimeAccepted: boolean };
      items: object[];
      summary: { requiresDowntime: boolean };
    }>(await call('GET', `/environments/${environment}/change-set`));
  const apply = async (body: object = {}) =>
    await call('POST', `/change-sets/${(await draft()).changeSet.id}/apply`, body);
  /** As its actor and agent would. */
  const goLive = async (id: string) => {
    await effect(api.database, machine, (one) => admit(one, of, { event: 'claim', id }));
    await effect(api.database, machine, (one) => admit(one, of, { event: 'finish', id, state: 'live' }));
  };
  const live = async (body?: object) => {
    const { deployments } = ok<Applied>(await apply(body));
    await goLive(deployments[0]?.id ?? '');
    return deployments[0]?.releaseId ?? '';
  };
  const variable = (value: string) => ({ kind: 'variable.set', serviceId, key: 'A', value });
  const deployment = async (id: string) =>
    ok<{ downtimeAccepted: boolean }>(await call('GET', `/deployments/${id}`)).downtimeAccepted;
  const parts = { environment, serviceId, processId, stage, draft, apply, goLive, live, variable, deployment };
  if (kind === 'staging') {
    const volume = { kind: 'volume.create', processId, key: 'data', value: { mountPath: '/data', sizeBytes: 10 } };
    await stage({ kind: 'service.create', serviceId }, volume);
    expect((await draft()).summary.requiresDowntime).toBe(false);
    return { ...parts, first: await live() };
  }
  return { ...parts, first: '' };
}

const named = [{ serviceName: 'store', processes: [{ name: 'web', volumes: ['data'] }] }];

describe('applying', () => {
  test('409 that names the service until it is accepted, which is remembered', async () => {
    const { stage, draft, apply, goLive, variable, deployment } = await place();
    await stage(variable('1'));
    const before = await draft();
    expect([before.summary.requiresDowntime, before.changeSet.downtimeAccepted]).toEqual([true, false]);
    const refused = await apply();
    expect([refused.status, refused.body.downtime]).toMatchObject([409, named]);
    expect(refused.body.detail).toContain('"store" is down for a moment');
    expect(await draft()).toEqual(before);
    const accepted = ok<Applied>(await apply({ downtimeAccepted: true }));
    const [one] = accepted.deployments;
    expect([accepted.changeSet.downtimeAccepted, await deployment(one?.id ?? '')]).toEqual([true, true]);
    await goLive(one?.id ?? '');
    await stage(variable('2'));
    const second = await draft();
    expect([second.summary.requiresDowntime, second.changeSet.downtimeAccepted]).toEqual([true, true]);
    const again = ok<Applied>(await apply());
    expect(await deployment(again.deployments[0]?.id ?? '')).toBe(true);
  });

  test('replicas, sizes, and the removal of the volume ask nothing; to add it again neither, but then it is asked anew', async () => {
    const { stage, draft, live, processId, variable, apply } = await place();
    const volumeId = ok<{ items: { id: string }[] }>(await call('GET', `/processes/${processId}/volumes`)).items[0]?.id;
    await stage({ kind: 'volume.grow', volumeId, value: 20 });
    expect((await draft()).summary.requiresDowntime).toBe(false);
    await live();
    await stage(variable('1'));
    await live({ downtimeAccepted: true });
    await stage({ kind: 'volume.delete', volumeId });
    expect((await draft()).summary.requiresDowntime).toBe(false);
    await live();
    const value = { mountPath: '/data', sizeBytes: 10 };
    await stage({ kind: 'volume.create', processId, key: 'data', value });
    await live();
    await stage(variable('2'));
    expect((await apply()).status).toBe(409);
  });

  test('in production the person who decides is told', async () => {
    const { stage, apply, draft, serviceId, processId, goLive, variable } = await place('production');
    const approved = async (body: object = {}) => {
      const { approval, deployments } = ok<Applied>(await apply(body));
      const detail = await call('GET', `/approvals/${approval?.id}`);
      ok(await call('POST', `/approvals/${approval?.id}/decide`, { decision: 'approved' }, ours.sessions.admin));
      await goLive(deployments[0]?.id ?? '');
      return detail.body.impact as object;
    };
    const volume = { kind: 'volume.create', processId, key: 'data', value: { mountPath: '/data', sizeBytes: 10 } };
    await stage({ kind: 'service.create', serviceId }, volume);
    expect(await approved()).toMatchObject({ requiresDowntime: false, downtime: [] });
    await stage(variable('1'));
    expect((await apply()).status).toBe(409);
    const impact = await approved({ downtimeAccepted: true });
    expect(impact).toMatchObject({
      requiresDowntime: true,
      downtime: [{ name: 'store', processes: [{ name: 'web' }] }],
    });
    await stage({ kind: 'process.set', processId, key: 'replicas', value: 0 });
    expect((await draft()).summary.requiresDowntime).toBe(false);
  });
});

describe('redeploy and roll back', () => {
  test('a redeployment asks, and is remembered for a rollback', async () => {
    const { stage, live, serviceId, environment, variable, first, goLive } = await place();
    const redeploy = (more: object = {}) =>
      call('POST', `/services/${serviceId}/redeploy`, { environmentId: environment, ...more });
    const refused = await redeploy();
    expect([refused.status, refused.body.downtime]).toMatchObject([409, named]);
    const started = ok<{ deployment: { id: string; downtimeAccepted: boolean } }>(
      await redeploy({ downtimeAccepted: true }),
      201,
    );
    expect(started.deployment.downtimeAccepted).toBe(true);
    await goLive(started.deployment.id);
    await stage(variable('1'));
    await live();
    const back = ok<typeof started>(await call('POST', `/releases/${first}/rollback`), 201);
    expect(back.deployment.downtimeAccepted).toBe(true);
  });

  test('a rollback asks; one that brings a volume back keeps one instance', async () => {
    const { stage, live, processId, environment, variable, first } = await place();
    await stage(variable('1'));
    await live({ downtimeAccepted: true });
    const volumeId = ok<{ items: { id: string }[] }>(await call('GET', `/processes/${processId}/volumes`)).items[0]?.id;
    await stage({ kind: 'volume.delete', volumeId });
    await stage({ kind: 'process.set', processId, key: 'replicas', value: 3 });
    await live();
    // Nothing is mounted now, so nothing has to end first.
    ok(await call('POST', `/releases/${first}/rollback`), 201);
    const process = await call('GET', `/processes/${processId}?environmentId=${environment}`);
    const volumes = await call('GET', `/processes/${processId}/volumes?environmentId=${environment}`);
    expect([process.body.replicas, volumes.body.items]).toMatchObject([1, [{ id: volumeId }]]);
  });

  test('409 for a rollback from a release that has it', async () => {
    const { stage, live, variable, first, serviceId, environment } = await place();
    await stage(variable('1'));
    await live({ downtimeAccepted: true });
    const { kysely } = api.database;
    const forgotten = kysely.updateTable('environment_service').set({ downtime_accepted: [] });
    await forgotten.where('service_id', '=', serviceId).where('environment_id', '=', environment).execute();
    const refused = await call('POST', `/releases/${first}/rollback`);
    expect([refused.status, refused.body.downtime]).toMatchObject([409, named]);
    ok(await call('POST', `/releases/${first}/rollback`, { downtimeAccepted: true }), 201);
  });
});
