import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { credentialOf, exchangedOf, type JobExchange, jobExchange } from '../../test/identity/job-exchange.ts';
import { signIn } from '../../test/identity/people.ts';
import type { Credential } from '../../test/installation/running-api.ts';
import { type SeededPlace, seedDeployment, seedRelease } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';

let jobs: JobExchange;
beforeAll(async () => {
  jobs = await jobExchange();
});
afterAll(() => jobs.close());

interface Loosening {
  id: string;
  guard: string;
  title: string;
  by: string;
  endedBy: string;
  endedAt?: string;
  undone: boolean;
  subject: { id: string };
  deployed: { id: string }[];
  deployedCount: number;
}

const call = (method: string, path: string, as: Credential, body?: unknown) => jobs.api.as(as).call(method, path, body);
const ok = async (method: string, path: string, as: Credential, body?: unknown) => {
  const answered = await call(method, path, as, body);
  expect(answered.status, answered.text).toBeLessThan(300);
  return answered.body;
};
const shown = async (as: Credential) =>
  ((await ok('GET', '/attention?limit=200', as)).items as { loosening?: Loosening }[]).flatMap(
    ({ loosening }) => loosening ?? [],
  );
const undo = (id: unknown, as: Credential) => call('POST', `/guard-loosenings/${id}/undo`, as, {});
const refused = (detail: string) => ({ status: 409, detail: expect.stringContaining(detail) });
const titles = async (as: Credential) =>
  ((await ok('GET', '/notifications', as)).items as { title: string }[]).map(({ title }) => title);

let releases = 0;
/** A deployment that has begun, as the worker claims one. */
async function begun(place: SeededPlace, more: object = {}) {
  const { database } = jobs.api;
  const { id } = await seedRelease(database, place, ++releases);
  return await seedDeployment(database, place, id, { started_at: new Date(), ...more });
}

async function ground() {
  const ours = await jobs.api.organization();
  const place = await ours.place({ production: true });
  return { ours, place, ...ours.sessions };
}

test('an environment that is production no more is told to every admin at once, shown with what went there, and undone', async () => {
  const { ours, place, owner, admin, deployer } = await ground();
  const path = `/environments/${place.environmentId}`;
  const before = await begun(place);
  await ok('PATCH', path, admin, { name: 'Live', production: false });
  for (const as of [owner, admin]) {
    expect(await titles(as)).toEqual([expect.stringMatching(/^Live of .* is not marked as production any more$/)]);
  }
  expect(await titles(deployer)).toEqual([]);
  const during = await begun(place);
  const [item, ...others] = await shown(owner);
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    guard: 'production',
    undone: false,
    deployedCount: 1,
    subject: { id: place.environmentId },
  });
  expect(item?.deployed.map(({ id }) => id)).toEqual([during]);
  expect(before).not.toBe(during);
  // Nobody else reads it, nor undoes it: of another organization it does not exist.
  for (const as of [deployer, ours.tokens.deployer, ours.tokens.viewer]) expect(await shown(as)).toEqual([]);
  expect((await undo(item?.id, deployer)).status).toBe(403);
  expect((await undo(item?.id, ours.limited)).status).toBe(403);
  expect((await undo(item?.id, (await jobs.api.organization()).sessions.owner)).status).toBe(404);
  expect((await undo(item?.id, owner)).body).toMatchObject({ undone: true, endedAt: expect.any(String) });
  expect(await ok('GET', path, admin)).toMatchObject({ production: true, name: 'Live' });
  expect((await undo(item?.id, admin)).body).toMatchObject(refused('undone already'));
  await begun(place);
  // The item stays, so that who loosened it cannot hide it by undoing it.
  expect(await shown(owner)).toMatchObject([{ id: item?.id, undone: true, deployedCount: 1 }]);
  const log = await ok('GET', '/audit-log?limit=50', owner);
  const actions = (log.items as { action: string }[]).map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith('guard.'))).toEqual(['guard.undone', 'guard.loosened']);
});

test('one that was switched back by hand is still shown with what was deployed, and not undone once more', async () => {
  const { place, owner, admin } = await ground();
  const path = `/environments/${place.environmentId}`;
  await ok('PATCH', path, admin, { production: false });
  const during = await begun(place);
  await ok('PATCH', path, admin, { production: true });
  await begun(place);
  const [item] = await shown(owner);
  expect(item).toMatchObject({
    undone: false,
    endedAt: expect.any(String),
    deployed: [{ id: during }],
    deployedCount: 1,
  });
  expect((await undo(item?.id, owner)).body).toMatchObject(refused('changed again since'));
  // Seven days later it is in the audit log alone.
  const week = new Date(Date.now() - 7 * 86_400_000 - 1_000);
  await jobs.api.rows.set('guard_loosening', { organization_id: place.organizationId }, { created_at: week });
  expect(await shown(owner)).toEqual([]);
});

test('a service that skips approvals: what it deployed to production without one, by a token of an admin, too', async () => {
  const { ours, place, owner } = await ground();
  const path = `/services/${place.serviceId}`;
  await ok('PATCH', path, ours.tokens.admin, { skipProductionApproval: true });
  const [during] = [await begun(place), await begun(place, { approval_id: uuid() })];
  const staging = await ours.place({ beside: place });
  await begun(staging);
  const [item] = await shown(owner);
  expect(item).toMatchObject({
    guard: 'skip-approval',
    by: 'admin token',
    deployed: [{ id: during }],
    deployedCount: 1,
  });
  expect((await undo(item?.id, ours.tokens.admin)).status).toBe(200);
  expect(await ok('GET', path, owner)).toMatchObject({ skipProductionApproval: false });
});

test('a trusted issuer that was created or widened, with what its jobs deployed; a job undoes nothing', async () => {
  const { ours, place, owner, admin } = await ground();
  const rule = await jobs.trust(ours, { role: 'admin', projectIds: null });
  const job = credentialOf(exchangedOf(await jobs.exchange(await jobs.job(), ours.slug)));
  const by = { requested_by_kind: 'token', requested_by_id: job.id } as const;
  const during = await begun(place, by);
  await begun(place);
  const [created] = await shown(owner);
  expect(created).toMatchObject({ guard: 'trusted-issuer', deployed: [{ id: during }], deployedCount: 1 });
  expect(created?.title).toContain('was created: its CI jobs have the role admin');
  expectProblem(await undo(created?.id, job), 403, 'CI jobs');
  // Narrower or renamed, nothing is loosened.
  await ok('PATCH', `/trusted-issuers/${rule}`, admin, { name: 'Narrower', role: 'deployer' });
  expect(await shown(owner)).toHaveLength(1);
  await ok('PATCH', `/trusted-issuers/${rule}`, admin, { claims: { repository: ['*/*'] } });
  const widened = (await shown(owner)).find(({ endedAt }) => endedAt === undefined);
  expect(widened?.title).toContain('was widened');
  expect((await undo(created?.id, owner)).body).toMatchObject(refused('changed again since'));
  await ok('PATCH', `/trusted-issuers/${rule}`, admin, { name: 'Renamed' });
  expect((await undo(widened?.id, owner)).status).toBe(200);
  expect(await ok('GET', `/trusted-issuers/${rule}`, owner)).toMatchObject({
    ...{ name: 'Renamed', role: 'deployer', claims: { repository: ['octo/*'], ref: ['refs/heads/main'] } },
  });
  const second = await jobs.trust(ours, { role: 'viewer' });
  const ofSecond = (await shown(owner)).find(({ subject }) => subject.id === second);
  expect((await undo(ofSecond?.id, owner)).status).toBe(200);
  expect((await call('GET', `/trusted-issuers/${second}`, owner)).status).toBe(404);
});

test('a role that decides: with what the person requested or approved; an admin does not undo what takes an owner', async () => {
  const { ours, place, owner, admin, deployer } = await ground();
  const path = (userId: string) => `/organizations/${ours.organizationId}/members/${userId}`;
  await ok('PATCH', path(deployer.userId), admin, { role: 'admin' });
  const requested = await begun(place, { requested_by_id: deployer.userId });
  const id = uuid();
  const { projectId, environmentId } = place;
  const row = { id, project_id: projectId, environment_id: environmentId, change_set_id: null, deployment_id: null };
  await tenantRow(jobs.api.database, 'approval', ours.organizationId, { ...row, decided_by_id: deployer.userId });
  const approved = await begun(place, { approval_id: id });
  await begun(place);
  const [item] = await shown(owner);
  expect(item).toMatchObject({ guard: 'role', deployedCount: 2 });
  expect(item?.deployed.map((one) => one.id)).toEqual([approved, requested]);
  await ok('PATCH', path(deployer.userId), owner, { role: 'owner' });
  const raised = (await shown(admin)).find(({ endedAt }) => endedAt === undefined);
  expect(raised?.title).toContain('is now owner');
  expect((await undo(raised?.id, admin)).status).toBe(403);
  expect((await undo(raised?.id, owner)).status).toBe(200);
  expect(await ok('GET', path(deployer.userId), owner)).toMatchObject({ role: 'admin' });
  // A lower role loosens nothing.
  const viewer = await ours.session('viewer');
  await ok('PATCH', path(viewer.userId), admin, { role: 'deployer' });
  expect(await shown(owner)).toHaveLength(2);
});

test('somebody who joins with a role that decides, whose undo removes them', async () => {
  const { ours, owner, admin } = await ground();
  const guest = await signIn(jobs.api.database);
  const invitations = `/organizations/${ours.organizationId}/invitations`;
  const { token } = await ok('POST', invitations, admin, { email: guest.email, role: 'admin' });
  const accept = `/api/v1/invitations/${token}/accept`;
  expect((await jobs.api.call('POST', accept, { as: guest.in(), organization: '' })).status).toBe(204);
  const [item] = await shown(owner);
  expect(item?.title).toContain('joined as admin');
  expect((await undo(item?.id, owner)).status).toBe(200);
  expect((await call('GET', `/organizations/${ours.organizationId}/members/${item?.subject.id}`, owner)).status).toBe(
    404,
  );
});

test('of two who undo it at the same time one does', async () => {
  const { place, owner, admin } = await ground();
  await ok('PATCH', `/environments/${place.environmentId}`, admin, { production: false });
  const [item] = await shown(owner);
  const answers = await Promise.all([owner, admin].map((as) => undo(item?.id, as)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});
