import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Credential,
  type RunningApi,
  runningApi,
  type Seeded,
  seed,
  seedSession,
} from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

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
