import { expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { api, decide, glass, held, heldApprovals, living, ok, ours, tokenOf } from '../../test/api/held-approvals.ts';
import { seedSession } from '../../test/installation/running-api.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

heldApprovals();

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

test('breaking the glass takes the place of a person and of nothing else: a stale approval stays refused', async () => {
  const { owner } = ours.sessions;
  const { apply, set, variables } = await living();
  const older = await apply(set('A', '1'));
  expect((await decide((await apply(set('B', '2'))).id, owner)).status).toBe(200);
  expectProblem(await glass(older.id, owner), 409, 'Refresh it');
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
