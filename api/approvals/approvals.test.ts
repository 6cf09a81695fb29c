import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import {
  api,
  call,
  decide,
  glass,
  held,
  heldApprovals,
  living,
  ok,
  ours,
  tokenOf,
} from '../../test/api/held-approvals.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import type { Credential } from '../../test/installation/running-api.ts';

const releaseIn = (approval: Record<string, unknown>) =>
  (approval.target as { releases: { releaseId: string; contentDigest: string }[] }).releases[0];

heldApprovals();

test('a person with several tokens is one requester, and neither of these decides', async () => {
  const { admin, owner } = ours.sessions;
  const [first, second] = [await tokenOf(admin), await tokenOf(admin)];
  const { id } = await held(ours.organizationId, first);
  for (const own of [first, second, admin]) {
    expectProblem(await decide(id, own), 403, 'You requested');
  }
  expect(await ok('GET', `/approvals/${id}`, second)).toMatchObject({ requestedById: admin.userId });
  expect(await ok('GET', `/approvals/${id}`, second)).not.toHaveProperty('decidedById');
  const other = await tokenOf(owner);
  expect((await decide(id, other)).body).toMatchObject({ decidedById: owner.userId, selfApproved: false });
});

test('what a person has staged in the console is not that of somebody else for a token of theirs', async () => {
  const { admin, deployer } = ours.sessions;
  const token = await tokenOf(admin);
  const { projectId, staging } = await ours.project();
  const callerOf = async (as: Credential) =>
    ((await ok('GET', '/organizations', as)).items as { callerId: string }[])[0]?.callerId;
  const stagers: unknown[] = [];
  for (const as of [admin, token, deployer, ours.tokens.deployer]) {
    const { serviceId } = await ours.service(projectId);
    const path = `/environments/${staging}/change-set/items`;
    const view = await ok('PUT', path, as, { kind: 'service.create', serviceId });
    const items = view.items as { serviceId: string; stagedBy: { id: string } }[];
    const by = items.find((item) => item.serviceId === serviceId)?.stagedBy.id;
    stagers.push(by);
    expect(await callerOf(as)).toBe(by);
  }
  expect(stagers).toEqual([admin.userId, admin.userId, deployer.userId, ours.tokens.deployer.id]);
});

test('an approval that another one has made stale is refreshed, and then shows and does what it would today', async () => {
  const { deployer, owner, viewer, admin } = ours.sessions;
  const { apply, set, variables, environmentId } = await living();
  const older = await apply(set('A', '1'));
  const newer = await apply(set('B', '2'));
  expect(await ok('GET', `/approvals/${older.id}`, viewer)).toMatchObject({ stale: false });
  expect((await decide(newer.id, owner)).status).toBe(200);
  const stale = await ok('GET', `/approvals/${older.id}`, viewer);
  expect(stale).toMatchObject({ stale: true });
  expectProblem(await decide(older.id, owner), 409, 'Refresh it');
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
  const reading = await api.effect(async (one) => {
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
    expectProblem(await glass(id, await tokenOf(person)), 403, 'session of an owner');
  }
  expect((await glass(id, ours.limited)).status).toBe(403);
  expect(await ok('GET', `/approvals/${id}`, admin)).not.toHaveProperty('decision');
  // Nobody in person has made it: as `ballast token create` does.
  expect((await glass(id, ours.tokens.admin)).body).toMatchObject({ decision: 'approved', brokenGlass: true });
});
