import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { effect } from '../../db/engine/effect.ts';
import { emptyDefinition, noSource } from '../../domain/services/settings.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import {
  type Credential,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedSession,
} from '../../test/installation/running-api.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { seedService } from '../../test/seeds/seed-service.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';

let api: RunningApi;
let ours: Seeded;

beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

const call = async (method: string, path: string, as: Credential, body?: unknown) =>
  await api.call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) });
const ok = async (method: string, path: string, as: Credential, body?: unknown) => {
  const answered = await call(method, path, as, body);
  expect(answered.status, answered.text).toBeLessThan(300);
  return answered.body;
};
const decide = (id: string, as: Credential, decision = 'approved') =>
  call('POST', `/approvals/${id}/decide`, as, { decision });
const tokenOf = async (as: Credential): Promise<Credential> => {
  const made = await ok('POST', '/api-tokens', as, { name: `token ${crypto.randomUUID()}`, role: 'admin' });
  return { token: String(made.secret), id: (made.token as { id: string }).id };
};

/** Asks for the approval of a new service in production; answers the approval's id. */
async function held(organizationId: string, by: Credential): Promise<{ id: string; environmentId: string }> {
  const made = await ok('POST', '/projects', by, { name: `Project ${crypto.randomUUID()}` });
  const { project, environments } = made as { project: { id: string }; environments: { id: string }[] };
  const { serviceId } = await seedService(api.database, { organizationId, projectId: project.id });
  const environmentId = environments[0]?.id ?? '';
  const view = await ok('PUT', `/environments/${environmentId}/change-set/items`, by, {
    kind: 'service.create',
    serviceId,
  });
  const { id } = view.changeSet as { id: string };
  const applied = await ok('POST', `/change-sets/${id}/apply`, by, {});
  return { id: (applied.approval as { id: string }).id, environmentId };
}

test('a person with several tokens is one requester, and neither of these decides', async () => {
  const { admin, owner } = ours.sessions;
  const [first, second] = [await tokenOf(admin), await tokenOf(admin)];
  const { id } = await held(ours.organizationId, first);
  for (const own of [first, second, admin]) {
    expect((await decide(id, own)).body).toMatchObject({
      status: 403,
      detail: expect.stringContaining('You requested'),
    });
  }
  expect(await ok('GET', `/approvals/${id}`, second)).toMatchObject({ requestedById: admin.userId });
  expect(await ok('GET', `/approvals/${id}`, second)).not.toHaveProperty('decidedById');
  const other = await tokenOf(owner);
  expect((await decide(id, other)).body).toMatchObject({ decidedById: owner.userId, selfApproved: false });
});

test('the only one who may decide does so by another token of theirs, and that is said', async () => {
  const organizationId = await seedOrganization(api.database);
  const alone = await seedSession(api.database, organizationId, 'owner');
  const [first, second] = [await tokenOf(alone), await tokenOf(alone)];
  const { id } = await held(organizationId, first);
  expect((await decide(id, second)).body).toMatchObject({
    ...{ decision: 'approved', selfApproved: true },
    ...{ requestedById: alone.userId, decidedById: alone.userId },
  });
  const next = await held(organizationId, second);
  await seedSession(api.database, organizationId, 'admin');
  expect((await decide(next.id, first)).status).toBe(403);
});

test('what a person has staged in the console is not that of somebody else for a token of theirs', async () => {
  const { admin, deployer } = ours.sessions;
  const token = await tokenOf(admin);
  const made = await ok('POST', '/projects', admin, { name: `Project ${crypto.randomUUID()}` });
  const { project, environments } = made as { project: { id: string }; environments: { id: string }[] };
  const place = { organizationId: ours.organizationId, projectId: project.id };
  const callerOf = async (as: Credential) =>
    ((await ok('GET', '/organizations', as)).items as { callerId: string }[])[0]?.callerId;
  const stagers: unknown[] = [];
  for (const as of [admin, token, deployer, ours.tokens.deployer]) {
    const { serviceId } = await seedService(api.database, place);
    const path = `/environments/${environments[1]?.id}/change-set/items`;
    const view = await ok('PUT', path, as, { kind: 'service.create', serviceId });
    const items = view.items as { serviceId: string; stagedBy: { id: string } }[];
    const by = items.find((item) => item.serviceId === serviceId)?.stagedBy.id;
    stagers.push(by);
    expect(await callerOf(as)).toBe(by);
  }
  expect(stagers).toEqual([admin.userId, admin.userId, deployer.userId, ours.tokens.deployer.id]);
});

/** A service that is live in production with A=0; stages and applies values there. */
async function living() {
  const { admin, deployer, owner } = ours.sessions;
  const made = await ok('POST', '/projects', admin, { name: `Project ${crypto.randomUUID()}` });
  const { project, environments } = made as { project: { id: string }; environments: { id: string }[] };
  const ref = { organizationId: ours.organizationId, projectId: project.id };
  const digest = `sha256:${'1'.repeat(64)}`;
  const { serviceId } = await seedService(api.database, ref, { image: `registry.example.com/app@${digest}` });
  const environmentId = environments[0]?.id ?? '';
  const items = `/environments/${environmentId}/change-set/items:batch`;
  const apply = async (...staged: object[]) => {
    const view = await ok('PUT', items, deployer, { items: staged });
    const { id } = view.changeSet as { id: string };
    return (await ok('POST', `/change-sets/${id}/apply`, deployer, {})).approval as { id: string };
  };
  const set = (key: string, value: string) => ({ kind: 'variable.set', serviceId, key, value });
  // No registry is asked: the image is that of a release before.
  const image = { repository: 'registry.example.com/app', digest, own: false };
  const settings = {
    ...emptyDefinition,
    source: { ...noSource, imageRepository: `registry.example.com/app@${digest}` },
  };
  const content = sql<never>`${JSON.stringify({ settings, image, variables: {} })}::jsonb`;
  await tenantRow(api.database, 'release', ours.organizationId, {
    ...{ id: crypto.randomUUID(), project_id: project.id, environment_id: environmentId, service_id: serviceId },
    ...{ number: 1, content, image_ref: 'app', content_digest: digest, runs_as: 1 },
  });
  const first = await apply({ kind: 'service.create', serviceId }, set('A', '0'));
  expect((await decide(first.id, owner)).status).toBe(200);
  const variables = async () => {
    const { items: found } = await ok('GET', `/environments/${environmentId}/variables`, owner);
    return Object.fromEntries((found as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
  };
  return { projectId: project.id, environmentId, serviceId, apply, set, variables };
}

const releaseIn = (approval: Record<string, unknown>) =>
  (approval.target as { releases: { releaseId: string; contentDigest: string }[] }).releases[0];

test('an approval that another one has made stale is refreshed, and then shows and does what it would today', async () => {
  const { deployer, owner, viewer, admin } = ours.sessions;
  const { apply, set, variables, environmentId } = await living();
  const older = await apply(set('A', '1'));
  const newer = await apply(set('B', '2'));
  expect(await ok('GET', `/approvals/${older.id}`, viewer)).toMatchObject({ stale: false });
  expect((await decide(newer.id, owner)).status).toBe(200);
  const stale = await ok('GET', `/approvals/${older.id}`, viewer);
  expect(stale).toMatchObject({ stale: true });
  expect((await decide(older.id, owner)).body).toMatchObject({
    status: 409,
    detail: expect.stringContaining('Refresh it'),
  });
  expect((await call('POST', `/approvals/${older.id}/refresh`, viewer)).status).toBe(403);
  const answered = await call('POST', `/approvals/${older.id}/refresh`, admin);
  expect(answered.status, answered.text).toBe(201);
  const fresh = answered.body;
  expect(fresh).toMatchObject({
    ...{ requestedById: deployer.userId, changeSetId: stale.changeSetId, expiresAt: stale.expiresAt },
    diff: [{ items: [{ key: 'A', to: '"1"' }] }],
  });
  expect(releaseIn(fresh)?.contentDigest).not.toBe(releaseIn(stale)?.contentDigest);
  expect(await ok('GET', `/approvals/${older.id}`, viewer)).toMatchObject({ decision: 'superseded', stale: false });
  expect((await call('POST', `/approvals/${older.id}/refresh`, admin)).status).toBe(409);
  expect((await ok('GET', `/environments/${environmentId}/change-set`, viewer)).items).toEqual([]);
  // Who refreshed it has not requested it.
  expect((await decide(String(fresh.id), admin)).status).toBe(200);
  expect(await variables()).toEqual({ A: '1', B: '2' });
  const set1 = await ok('GET', `/change-sets/${stale.changeSetId}`, viewer);
  expect(set1.changeSet).toMatchObject({ state: 'applying', approvalId: fresh.id });
  const { items } = await ok('GET', `/deployments?environmentId=${environmentId}`, viewer);
  const ofSet = (items as { changeSetId: string; state: string }[]).filter(
    (one) => one.changeSetId === stale.changeSetId,
  );
  expect(ofSet.map(({ state }) => state).toSorted()).toEqual(['pending', 'superseded']);
});

test('one that is decided while it is read is told as decided, and not as stale', async () => {
  const { owner, viewer } = ours.sessions;
  const { apply, set, projectId } = await living();
  const { id } = await apply(set('A', '1'));
  const by = { id: owner.userId, name: 'Owner' };
  const reading = await effect(api.database, machine, async (one) => {
    // The reader has seen that the approval is pending, and stands before the settings that the decision changes.
    await sql`lock table environment_service in access exclusive mode`.execute(one.kysely);
    const answer = ok('GET', `/approvals/${id}`, viewer);
    await until('it waits for the lock', async () => (await lockWaiters(api.database)) > 0);
    const approval = { id, organizationId: ours.organizationId, projectId };
    await decideApproval(one, api.keyring, approval, { decision: 'approved', by });
    return { answer };
  });
  expect(await reading.answer).toMatchObject({ decision: 'approved', decidedById: by.id, stale: false });
});

test('a stale one that is rejected returns its changes to the draft, where newer values win', async () => {
  const { owner } = ours.sessions;
  const { apply, set, environmentId } = await living();
  const older = await apply(set('A', '1'), set('C', '1'));
  expect((await decide((await apply(set('B', '2'))).id, owner)).status).toBe(200);
  await ok('PUT', `/environments/${environmentId}/change-set/items`, owner, set('A', 'newer'));
  const fresh = await ok('POST', `/approvals/${older.id}/refresh`, ours.sessions.deployer);
  expect((await decide(String(fresh.id), owner, 'rejected')).status).toBe(200);
  const { items } = await ok('GET', `/environments/${environmentId}/change-set`, owner);
  expect((items as { key: string; to: string }[]).map(({ key, to }) => `${key} ${to}`).toSorted()).toEqual([
    'A "newer"',
    'C "1"',
  ]);
});

const glass = (id: string, as: Credential, reason: unknown = 'Checkout is down, and nobody else is awake.') =>
  call('POST', `/approvals/${id}/break-glass`, as, { reason });

test('an owner breaks the glass for their own change, with a reason, and everybody who decides is told', async () => {
  const { owner, admin, deployer } = ours.sessions;
  const body = {
    ...{ label: 'Alarms', kind: 'chat_webhook', secret: 'https://hooks.example.com/alarms', events: ['failure'] },
  };
  const channel = await ok('POST', '/notification-channels', owner, body);
  const { id } = await held(ours.organizationId, owner);
  expect((await decide(id, owner)).status).toBe(403);
  for (const empty of ['', '   ']) expect((await glass(id, owner, empty)).status).toBe(422);
  expect((await glass(id, owner)).body).toMatchObject({
    ...{ decision: 'approved', brokenGlass: true, selfApproved: false, decidedById: owner.userId },
    decisionReason: 'Checkout is down, and nobody else is awake.',
  });
  expect((await glass(id, owner)).status).toBe(409);
  expect((await decide(id, admin)).status).toBe(409);
  const inbox = async (as: Credential) =>
    ((await ok('GET', '/notifications', as)).items as { title: string; body: string; link: object }[]).filter(
      ({ title }) => title.startsWith('Break-glass:'),
    );
  for (const as of [owner, admin]) {
    expect(await inbox(as)).toMatchObject([
      {
        title: 'Break-glass: apply a change set to Production without an approval',
        body: expect.stringContaining('nobody else is awake.'),
        link: { type: 'approval', approvalId: id },
      },
    ]);
  }
  expect(await inbox(deployer)).toEqual([]);
  // The channel had subscribed to failures alone.
  const sent = await ok('GET', `/notification-channels/${(channel as { id: string }).id}/deliveries`, owner);
  expect(sent.items).toMatchObject([{ title: expect.stringMatching(/^Break-glass:/) }]);
  const log = await ok('GET', '/audit-log?limit=50', owner);
  const ofIt = (log.items as { action: string; subject: { id: string } }[]).filter(({ subject }) => subject.id === id);
  expect(ofIt.map(({ action }) => action)).toEqual(['approval.glass_broken', 'approval.requested']);
});

test('the glass is broken by an owner in person or by who holds the machine, and by nobody else', async () => {
  const { owner, admin, deployer } = ours.sessions;
  const { id } = await held(ours.organizationId, admin);
  for (const as of [admin, deployer]) expect((await glass(id, as)).status).toBe(403);
  for (const person of [owner, admin]) {
    expect((await glass(id, await tokenOf(person))).body).toMatchObject({
      status: 403,
      detail: expect.stringContaining('session of an owner'),
    });
  }
  expect((await glass(id, ours.limited)).status).toBe(403);
  expect(await ok('GET', `/approvals/${id}`, admin)).not.toHaveProperty('decision');
  // Nobody in person has made it: as `ballast token create` does.
  expect((await glass(id, ours.tokens.admin)).body).toMatchObject({ decision: 'approved', brokenGlass: true });
});

test('breaking the glass takes the place of a person and of nothing else: a stale approval stays refused', async () => {
  const { owner } = ours.sessions;
  const { apply, set, variables } = await living();
  const older = await apply(set('A', '1'));
  expect((await decide((await apply(set('B', '2'))).id, owner)).status).toBe(200);
  expect((await glass(older.id, owner)).body).toMatchObject({
    status: 409,
    detail: expect.stringContaining('Refresh it'),
  });
  expect(await ok('GET', `/approvals/${older.id}`, owner)).toMatchObject({ stale: true, brokenGlass: false });
  const fresh = await ok('POST', `/approvals/${older.id}/refresh`, owner);
  expect((await glass(String(fresh.id), owner)).status).toBe(200);
  const { items } = await ok('GET', '/deployments?limit=50', owner);
  const deployment = (items as { id: string; approvalId?: string }[]).find(({ approvalId }) => approvalId === fresh.id);
  const { items: events } = await ok('GET', `/deployments/${deployment?.id}/events`, owner);
  expect((events as { kind: string }[]).find(({ kind }) => kind === 'decided')).toMatchObject({
    message: expect.stringContaining('by break-glass: Checkout is down'),
  });
  expect(await variables()).toEqual({ A: '1', B: '2' });
});
