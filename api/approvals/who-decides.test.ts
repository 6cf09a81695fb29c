import { afterAll, expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { credentialOf, exchangedOf, jobExchange } from '../../test/identity/job-exchange.ts';
import { type Credential, seedSession } from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedService } from '../../test/seeds/seed-service.ts';

const jobs = await jobExchange();
afterAll(() => jobs.close());

const call = (method: string, path: string, as: Credential, body?: unknown) => jobs.api.as(as).call(method, path, body);
const ok = async (method: string, path: string, as: Credential, body?: unknown) => {
  const answered = await call(method, path, as, body);
  expect(answered.status, answered.text).toBeLessThan(300);
  return answered.body;
};
const decide = (id: string, as: Credential, decision = 'approved') =>
  call('POST', `/approvals/${id}/decide`, as, { decision });
const wordFor = async (id: string, as: Credential) => {
  const one = await ok('GET', `/approvals/${id}`, as);
  const { items } = await ok('GET', '/approvals?limit=200', as);
  const listed = (items as Record<string, unknown>[]).find((item) => item.id === id);
  for (const name of ['waitsForYou', 'whyNotYou', 'selfApproves']) expect(listed?.[name]).toEqual(one[name]);
  return one.waitsForYou === true ? (one.selfApproves === true ? 'own' : 'decides') : one.whyNotYou;
};
const named = async (id: string, as: Credential) =>
  ((await ok('GET', `/approvals/${id}`, as)).deciders as { id: string }[]).map((one) => one.id).toSorted();
const asked = async (id: string, as: Credential) =>
  ((await ok('GET', '/notifications', as)).items as { link: { approvalId?: string } }[]).some(
    ({ link }) => link.approvalId === id,
  );

/** A production environment in which each of these stages a service of its own. */
async function stagedBy(organizationId: string, admin: Credential, ...stagers: Credential[]) {
  const made = await ok('POST', '/projects', admin, { name: `Project ${crypto.randomUUID()}` });
  const { project, environments } = made as { project: { id: string }; environments: { id: string }[] };
  const path = `/environments/${environments[0]?.id}/change-set`;
  for (const as of stagers) {
    const { serviceId } = await seedService(jobs.api.database, { organizationId, projectId: project.id });
    await ok('PUT', `${path}/items`, as, { kind: 'service.create', serviceId });
  }
  const apply = async (as: Credential) => {
    const { id } = (await ok('GET', path, as)).changeSet as { id: string };
    return ((await ok('POST', `/change-sets/${id}/apply`, as, {})).approval as { id: string }).id;
  };
  return { apply };
}

async function threeWhoDecide() {
  const ours = await jobs.api.organization();
  const second = await ours.session('admin');
  return { ...ours.sessions, second, organizationId: ours.organizationId };
}

test('who staged a part decides no more than who requested it, by whatever token, and is not asked to', async () => {
  const { admin, second, owner, deployer, organizationId } = await threeWhoDecide();
  const made = await ok('POST', '/api-tokens', admin, { name: 'of the admin', role: 'admin' });
  const token = { token: String(made.secret), id: (made.token as { id: string }).id };
  const { apply } = await stagedBy(organizationId, admin, token, deployer);
  const id = await apply(second);
  for (const as of [admin, token]) {
    expect(await wordFor(id, as)).toBe('staged');
    expectProblem(await decide(id, as), 403, 'You staged');
  }
  expect(await wordFor(id, second)).toBe('requested');
  expect(await wordFor(id, deployer)).toBe('role');
  expect(await named(id, deployer)).toEqual([owner.userId]);
  expect(await Promise.all([admin, second, owner].map((as) => asked(id, as)))).toEqual([false, false, true]);
  expect(await wordFor(id, owner)).toBe('decides');
  // Returned to the draft, the changes stay those of who staged them, whoever applies them then.
  expect((await decide(id, owner, 'rejected')).body).toMatchObject({ selfApproved: false, whyNotYou: '' });
  const again = await apply(deployer);
  expect((await decide(again, admin)).status).toBe(403);
  expect((await decide(again, second)).body).toMatchObject({ decision: 'approved', selfApproved: false });
});

test('where each of them staged or requested it, any but the requester decides, which is recorded', async () => {
  const { admin, second, owner, organizationId } = await threeWhoDecide();
  const { apply } = await stagedBy(organizationId, admin, admin, second, owner);
  const id = await apply(owner);
  expect(await named(id, owner)).toEqual([admin.userId, second.userId].toSorted());
  expect(await wordFor(id, owner)).toBe('requested');
  expect((await decide(id, owner)).status).toBe(403);
  expect(await asked(id, second)).toBe(true);
  expect(await wordFor(id, second)).toBe('own');
  expect((await decide(id, second)).body).toMatchObject({ decision: 'approved', selfApproved: true });
});

test('who staged what another one requested decides alone as the only one who may', async () => {
  const organizationId = await seedOrganization(jobs.api.database);
  const owner = await seedSession(jobs.api.database, organizationId, 'owner');
  const deployer = await seedSession(jobs.api.database, organizationId, 'deployer');
  const { apply } = await stagedBy(organizationId, owner, owner);
  const id = await apply(deployer);
  expect(await wordFor(id, owner)).toBe('own');
  expect((await decide(id, owner)).body).toMatchObject({ decision: 'approved', selfApproved: true });
});

test('a CI job decides nothing, and its changes are those of who created or changed the issuer that let it in', async () => {
  const ours = await jobs.api.organization();
  const { admin, owner, deployer } = ours.sessions;
  const second = await ours.session('admin');
  const rule = await jobs.trust(ours, { role: 'admin' });
  const job = async () => credentialOf(exchangedOf(await jobs.exchange(await jobs.job(), ours.slug)));
  const first = await job();
  const staged = await (await stagedBy(ours.organizationId, owner, first)).apply(deployer);
  const requested = await (await stagedBy(ours.organizationId, owner, deployer)).apply(first);
  for (const id of [staged, requested]) {
    expect(await wordFor(id, first)).toBe('job');
    expect((await decide(id, first)).status).toBe(403);
    expect(await wordFor(id, admin)).toBe('trusted-issuer');
    expectProblem(await decide(id, admin), 403, 'trusted issuer that you created or changed');
    expect(await asked(id, admin)).toBe(false);
    expect(await wordFor(id, second)).toBe('decides');
  }
  // A new name trusts nobody else; another role does. What was requested before stays as it was.
  await ok('PATCH', `/trusted-issuers/${rule}`, owner, { name: 'Renamed' });
  await ok('PATCH', `/trusted-issuers/${rule}`, second, { role: 'deployer' });
  const later = await (await stagedBy(ours.organizationId, owner, deployer)).apply(await job());
  expect(await Promise.all([admin, second, owner].map((as) => wordFor(later, as)))).toEqual([
    ...['trusted-issuer', 'trusted-issuer', 'decides'],
  ]);
  await ok('DELETE', `/trusted-issuers/${rule}`, owner);
  expect((await decide(requested, admin)).status).toBe(403);
  expect((await decide(requested, second)).body).toMatchObject({ decision: 'approved', selfApproved: false });
});
