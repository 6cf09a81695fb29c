import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { openReleaseSecrets } from '../../db/releases/secrets.ts';
import { type Answered, type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { machine } from '../../test/seeds/seed.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const digests = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`];
let api: RunningApi;
let ours: Seeded;
let outside: Server;
let host: string;
/** The digest that the tag has at the registry now. */
let tagged = digests[0];
let projectId: string;
let staging: string;
let production: string;
let service: { serviceId: string; processId: string; slug: string };

beforeAll(async () => {
  outside = createServer((request, answer) => {
    if (request.url?.startsWith('/token') === true) {
      const signedIn = request.headers.authorization === `Basic ${Buffer.from('ada:swordfish').toString('base64')}`;
      answer.writeHead(signedIn ? 200 : 401).end(signedIn ? '{"token":"good"}' : '');
    } else if (request.url?.startsWith('/v2/private/') === true && request.headers.authorization !== 'Bearer good') {
      const realm = `http://${host}/token`;
      answer.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="test"` }).end();
    } else if (request.url?.includes('/manifests/missing') === true) answer.writeHead(404).end();
    else answer.writeHead(200, { 'docker-content-digest': tagged }).end();
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(outside.address() as AddressInfo).port}`;
  api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
  ours = await seed(api.database);
});
afterAll(async () => {
  await api.close();
  outside.close();
});

beforeEach(async () => {
  tagged = digests[0];
  const body = { name: `Project ${crypto.randomUUID()}` };
  const made = await api.call('POST', '/api/v1/projects', { as: ours.sessions.admin, body });
  const created = made.body as { project: { id: string }; environments: { id: string }[] };
  projectId = created.project.id;
  [production, staging] = created.environments.map(({ id }) => id) as [string, string];
  service = await seedService(
    api.database,
    { organizationId: ours.organizationId, projectId },
    { image: `${host}/app:1` },
  );
});

interface Result {
  changeSet: { id: string; state: string; message: string };
  approval?: { id: string; decision?: string };
  deployments: { id: string; releaseId: string; serviceId: string; state: string }[];
  firstDeploys: { serviceId: string }[];
  unreleasedServiceIds: string[];
}

const ok = <T>(answered: Answered): T => {
  expect(answered.status, answered.text).toBe(200);
  return answered.body as T;
};
const call = (method: string, path: string, body?: unknown, as = ours.sessions.deployer) =>
  api.call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) });
const stage = async (environmentId: string, ...items: object[]) =>
  ok<{ changeSet: { id: string; revision: number }; items: object[] }>(
    await call('PUT', `/environments/${environmentId}/change-set/items:batch`, { items }),
  );
const draft = async (environmentId: string) =>
  ok<{ changeSet: { id: string; revision: number }; items: { key: string; to: string }[] }>(
    await call('GET', `/environments/${environmentId}/change-set`),
  );
const applyOf = async (environmentId: string, body: object = {}) =>
  await call('POST', `/change-sets/${(await draft(environmentId)).changeSet.id}/apply`, body);
const apply = async (environmentId: string, body: object = {}) => ok<Result>(await applyOf(environmentId, body));
const create = () => ({ kind: 'service.create', serviceId: service.serviceId });
const variable = (key: string, value: string, more: object = {}) => ({
  kind: 'variable.set',
  serviceId: service.serviceId,
  key,
  value,
  ...more,
});
const replicas = (value: number) => ({ kind: 'process.set', processId: service.processId, key: 'replicas', value });
const variablesOf = async (environmentId: string) =>
  ok<{ items: { key: string; value: string; staged?: string }[] }>(
    await call('GET', `/environments/${environmentId}/variables`),
  ).items;
const releaseOf = async (id: string) =>
  ok<{ release: { number: number; configRevision: number; imageRef: string; variableKeys: string[] } }>(
    await call('GET', `/releases/${id}`),
  ).release;
/** As its actor and agent would. */
const goLive = (id: string) => finish(id, 'live');
const finish = async (id: string, state: 'live' | 'failed' | 'cancelled') => {
  const project = { organizationId: ours.organizationId, projectId };
  await effect(api.database, machine, (one) => admit(one, project, { event: 'claim', id }));
  await effect(api.database, machine, (one) => admit(one, project, { event: 'finish', id, state }));
};

describe('applying', () => {
  test('settings, releases and deployments are committed together, and the draft is new', async () => {
    const before = await stage(staging, create(), variable('A', '1'), variable('S', 'hidden', { secret: true }));
    const result = await apply(staging, { message: 'First', expectedRevision: before.changeSet.revision });
    expect(result).toMatchObject({
      changeSet: { id: before.changeSet.id, message: 'First' },
      firstDeploys: [{ serviceId: service.serviceId }],
      unreleasedServiceIds: [],
    });
    expect(result.approval).toBeUndefined();
    const [deployment] = result.deployments;
    expect(await releaseOf(deployment?.releaseId ?? '')).toMatchObject({
      number: 1,
      configRevision: 1,
      imageRef: `${host}/app:1@${digests[0]}`,
      variableKeys: ['A', 'S'],
    });
    const stored = await api.database.kysely
      .selectFrom('release')
      .select(['id', 'content', 'sealed'])
      .where('id', '=', deployment?.releaseId ?? '')
      .executeTakeFirstOrThrow();
    expect(stored.content).toMatchObject({ image: { repository: `${host}/app`, own: false }, variables: { A: '1' } });
    expect(JSON.stringify(stored)).not.toContain('hidden');
    expect(await openReleaseSecrets(api.keyring, { ...stored, organizationId: ours.organizationId })).toEqual({
      S: 'hidden',
    });
    expect(await variablesOf(staging)).toMatchObject([
      { key: 'A', value: '1' },
      { key: 'S', value: '' },
    ]);
    const after = await draft(staging);
    expect([after.items, after.changeSet.id === before.changeSet.id]).toEqual([[], false]);
    expect((await call('POST', `/change-sets/${before.changeSet.id}/apply`)).status).toBe(409);
    expect((await applyOf(staging)).body).toMatchObject({
      status: 409,
      detail: expect.stringContaining('Nothing is staged'),
    });
    const past = await call('GET', `/environments/${staging}/change-sets`);
    expect(past.body.items).toMatchObject([{ id: before.changeSet.id, requestedBy: { name: expect.any(String) } }]);
    const whole = await call('GET', `/change-sets/${before.changeSet.id}`);
    expect(whole.body.items).toHaveLength(3);
  });

  test('what is taken back to what is applied is not kept; a tag stays at its digest until its source is staged', async () => {
    await stage(staging, create(), variable('A', '1'));
    const first = await apply(staging);
    await goLive(first.deployments[0]?.id ?? '');
    expect((await stage(staging, variable('A', '1'), replicas(1))).items).toEqual([]);
    tagged = digests[1];
    await stage(staging, replicas(3));
    const second = await apply(staging);
    expect(await releaseOf(second.deployments[0]?.releaseId ?? '')).toMatchObject({
      number: 2,
      configRevision: 1,
      imageRef: `${host}/app:1@${digests[0]}`,
    });
    expect(second.firstDeploys).toEqual([]);
    const { rows } = {
      rows: await api.database.kysely
        .selectFrom('environment_service')
        .select('settings')
        .where('service_id', '=', service.serviceId)
        .execute(),
    };
    const source = {
      kind: 'service.set',
      serviceId: service.serviceId,
      key: 'source',
      value: rows[0]?.settings.source,
    };
    expect((await stage(staging, source)).items).toHaveLength(1);
    const third = await apply(staging);
    expect(await releaseOf(third.deployments[0]?.releaseId ?? '')).toMatchObject({
      number: 3,
      configRevision: 3,
      imageRef: `${host}/app:1@${digests[1]}`,
    });
  });

  test('409 for an image that is not there, naming service, reference and reason, and nothing is written', async () => {
    const source = (imageRepository: string) => ({
      kind: 'service.set',
      serviceId: service.serviceId,
      key: 'source',
      value: {
        kind: 'image',
        imageRepository,
        builder: 'auto',
        context: '',
        dockerfile: '',
        target: '',
        gitUrl: '',
        repository: '',
      },
    });
    for (const [reference, why] of [
      [`${host}/app:missing`, 'has no app with missing'],
      [`${host}/private/app:1`, 'refused the sign-in'],
      [':1', 'push it first'],
      ['10.0.0.1:5000/app', 'is a private address'],
    ] as const) {
      await stage(staging, create(), source(reference));
      const refused = await applyOf(staging);
      expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining(why) });
      expect(refused.body.detail).toContain(`The image ${reference} of ${service.slug}`);
    }
    expect((await draft(staging)).items).toHaveLength(2);
  });

  test('a private registry takes the credential of the organization', async () => {
    const body = { name: `Private ${crypto.randomUUID()}`, host, username: 'ada', password: 'swordfish' };
    const made = await call('POST', '/registry-credentials', body, ours.sessions.admin);
    expect([made.status, made.text.includes('swordfish')]).toEqual([201, false]);
    const value = {
      kind: 'image',
      imageRepository: `${host}/private/app:1`,
      registryCredentialId: made.body.id,
      builder: 'auto',
      context: '',
      dockerfile: '',
      target: '',
      gitUrl: '',
      repository: '',
    };
    await stage(staging, create(), { kind: 'service.set', serviceId: service.serviceId, key: 'source', value });
    const { deployments } = await apply(staging);
    expect(deployments).toHaveLength(1);
    const listed = await call('GET', '/registry-credentials', undefined, ours.sessions.admin);
    expect(listed.body.items).toMatchObject([{ host, username: 'ada' }]);
    expect((await call('DELETE', `/registry-credentials/${made.body.id}`, undefined, ours.sessions.admin)).status).toBe(
      204,
    );
  });

  test('what failed is not live, and is deployed again as it is', async () => {
    const drift = async () =>
      ok<{ services: { drift: boolean }[] }>(await call('GET', `/environments/${staging}/overview`)).services[0]?.drift;
    await stage(staging, create(), variable('A', '1'));
    expect(await drift()).toBe(false);
    const first = await apply(staging);
    expect(await drift()).toBe(false);
    await finish(first.deployments[0]?.id ?? '', 'failed');
    expect(await drift()).toBe(true);
    const again = await apply(staging, { deployServiceIds: [service.serviceId] });
    expect(again.deployments).toMatchObject([{ serviceId: service.serviceId }]);
    expect(await drift()).toBe(false);
    await goLive(again.deployments[0]?.id ?? '');
    expect(await drift()).toBe(false);
    expect(await releaseOf(again.deployments[0]?.releaseId ?? '')).toMatchObject({ number: 2, variableKeys: ['A'] });
    await stage(staging, variable('A', '2'));
    await finish((await apply(staging)).deployments[0]?.id ?? '', 'cancelled');
    expect(await drift()).toBe(true);
    const stranger = await applyOf(staging, { deployServiceIds: [projectId] });
    expect(stranger.body).toMatchObject({ status: 409, detail: expect.stringContaining(projectId) });
  });

  test('the image of a change that was not approved is not that of the next one', async () => {
    await stage(production, create());
    const first = await apply(production);
    const decide = (id: string | undefined, decision: string) =>
      call('POST', `/approvals/${id}/decide`, { decision }, ours.sessions.owner);
    expect((await decide(first.approval?.id, 'approved')).status).toBe(200);
    await goLive(first.deployments[0]?.id ?? '');
    tagged = digests[1];
    const row = await api.database.kysely
      .selectFrom('environment_service')
      .select('settings')
      .where('service_id', '=', service.serviceId)
      .executeTakeFirstOrThrow();
    const source = { serviceId: service.serviceId, key: 'source', value: row.settings.source };
    const { items } = await stage(production, { kind: 'service.set', ...source });
    const second = await apply(production);
    expect((await releaseOf(second.deployments[0]?.releaseId ?? '')).imageRef).toContain(digests[1]);
    expect((await decide(second.approval?.id, 'rejected')).status).toBe(200);
    await call('DELETE', `/change-sets/items/${(items[0] as { id: string }).id}`);
    const { changeSet } = await draft(production);
    await call('DELETE', `/change-sets/${changeSet.id}`);
    await stage(production, variable('A', '1'));
    const third = await apply(production);
    expect((await releaseOf(third.deployments[0]?.releaseId ?? '')).imageRef).toContain(digests[0]);
  });

  test('a draft that changed meanwhile is not applied', async () => {
    const { changeSet } = await stage(staging, create());
    await stage(staging, variable('B', '2'));
    const late = await applyOf(staging, { expectedRevision: changeSet.revision });
    expect(late.body).toMatchObject({ status: 409, detail: expect.stringContaining('Variable B') });
  });

  test('settings of a service without an image are stored, and nothing is started', async () => {
    service = await seedService(api.database, { organizationId: ours.organizationId, projectId });
    await stage(staging, create());
    expect(await apply(staging)).toMatchObject({ deployments: [], unreleasedServiceIds: [service.serviceId] });
    await stage(staging, { kind: 'service.remove', serviceId: service.serviceId });
    expect(await apply(staging)).toMatchObject({ deployments: [], unreleasedServiceIds: [] });
    expect((await stage(staging, create())).items).toHaveLength(1);
  });
});

describe('approval', () => {
  const decide = (id: string, decision: string, as = ours.sessions.owner) =>
    call('POST', `/approvals/${id}/decide`, { decision, reason: 'because' }, as);
  const held = async () => {
    await stage(production, create(), variable('A', '1'), variable('S', 'hidden', { secret: true }));
    const result = await apply(production, { reason: 'Needed' });
    return { ...result, approvalId: result.approval?.id ?? '' };
  };

  test('production waits: releases are there, settings are not; approved, they are', async () => {
    const { approvalId, changeSet, deployments } = await held();
    expect([changeSet.state, deployments.length]).toEqual(['held', 1]);
    expect(await variablesOf(production)).toEqual([]);
    const detail = await call('GET', `/approvals/${approvalId}`, undefined, ours.sessions.viewer);
    expect(detail.body).toMatchObject({
      kind: 'change-set',
      reason: 'Needed',
      diff: [
        {
          serviceSlug: service.slug,
          items: [{ kind: 'service.create' }, { key: 'A', to: '"1"' }, { key: 'S', to: '' }],
        },
      ],
      impact: { replicas: 1, services: [{ firstDeploy: true }] },
      checks: [
        { id: 'image', status: 'passed' },
        { id: 'digest', status: 'passed' },
        {},
        { id: 'capacity', status: 'failed' },
      ],
      commits: [],
    });
    expect(detail.text).not.toContain('hidden');
    const pending = await call('GET', `/approvals?projectId=${projectId}`);
    expect(pending.body.items).toMatchObject([{ id: approvalId }]);
    expect((await decide(approvalId, 'approved', ours.sessions.deployer)).status).toBe(403);
    expect((await decide(approvalId, 'approved')).body).toMatchObject({ decision: 'approved', selfApproved: false });
    expect((await decide(approvalId, 'rejected')).body).toMatchObject({ status: 409 });
    expect(await variablesOf(production)).toMatchObject([{ key: 'A', value: '1' }, { key: 'S' }]);
    const after = await call('GET', `/change-sets/${changeSet.id}`);
    expect((after.body.changeSet as { state: string }).state).toBe('applying');
    const decided = await call('GET', `/approvals?projectId=${projectId}&state=decided`);
    expect(decided.body.items).toMatchObject([{ id: approvalId, decision: 'approved' }]);
  });

  test('rejected, the changes return to the draft, and newer ones of the same place win', async () => {
    const { approvalId, changeSet, deployments } = await held();
    await stage(production, create(), variable('A', 'newer'));
    expect((await decide(approvalId, 'rejected')).status).toBe(200);
    const { items } = await draft(production);
    expect(items.map(({ key, to }) => (key === '' ? 'service' : `${key} ${to}`)).toSorted()).toEqual([
      'A "newer"',
      'S ',
      'service',
    ]);
    const ended = await call('GET', `/change-sets/${changeSet.id}`);
    expect((ended.body.changeSet as { state: string }).state).toBe('rejected');
    const row = await api.database.kysely
      .selectFrom('deployment')
      .select('state')
      .where('id', '=', deployments[0]?.id ?? '')
      .executeTakeFirst();
    expect(row?.state).toBe('rejected');
    const again = await apply(production);
    expect((await decide(again.approval?.id ?? '', 'approved')).status).toBe(200);
    expect(await variablesOf(production)).toMatchObject([{ key: 'A', value: 'newer' }, { key: 'S' }]);
  });

  test('its time passes like a decision', async () => {
    const { approvalId } = await held();
    const ref = { id: approvalId, organizationId: ours.organizationId, projectId };
    await effect(api.database, machine, (one) => decideApproval(one, api.keyring, ref, { decision: 'expired' }));
    expect((await draft(production)).items).toHaveLength(3);
  });

  test('a requester does not decide, and what changed meanwhile is stale', async () => {
    const { approvalId } = await held();
    const { changeSet } = await stage(production, create(), variable('B', '2'));
    const mine = ok<Result>(await call('POST', `/change-sets/${changeSet.id}/apply`, {}, ours.sessions.admin));
    const waits = async (as: typeof ours.sessions.owner) => {
      const list = await call('GET', `/approvals?projectId=${projectId}`, undefined, as);
      const listed = (list.body.items as { id: string; waitsForYou: boolean }[]).find(
        ({ id }) => id === mine.approval?.id,
      );
      const { body } = await call('GET', `/approvals/${mine.approval?.id}`, undefined, as);
      return [listed?.waitsForYou, body.waitsForYou];
    };
    expect(await waits(ours.sessions.owner)).toEqual([true, true]);
    expect(await waits(ours.sessions.admin)).toEqual([false, false]);
    expect(await waits(ours.sessions.deployer)).toEqual([false, false]);
    expect((await decide(mine.approval?.id ?? '', 'approved', ours.sessions.admin)).status).toBe(403);
    expect((await decide(mine.approval?.id ?? '', 'approved')).status).toBe(200);
    expect((await decide(approvalId, 'approved')).body).toMatchObject({ status: 409 });
    await stage(production, variable('C', '3'));
    const third = await apply(production);
    const id = third.approval?.id ?? '';
    const of = api.database.kysely.updateTable('environment_service').where('service_id', '=', service.serviceId);
    await of.set({ live_release_id: third.deployments[0]?.releaseId ?? null }).execute();
    expect((await decide(id, 'approved')).body).toMatchObject({
      status: 409,
      detail: expect.stringContaining('Refresh it'),
    });
    expect((await decide(id, 'rejected')).status).toBe(200);
  });

  test('a service that is excepted is not held', async () => {
    const of = api.database.kysely.updateTable('service').where('id', '=', service.serviceId);
    await of.set({ skip_production_approval: true }).execute();
    await stage(production, create());
    expect(await apply(production)).toMatchObject({ changeSet: { state: expect.stringMatching(/appl/) } });
  });
});
