import { describe, expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { noSource } from '../../domain/services/settings.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { type Applied, applyGround } from '../../test/seeds/apply-ground.ts';

const at = applyGround();
const { apply, call, create, draft, stage, variable, variablesOf, decide } = at;

describe('approval', () => {
  const held = async () => {
    await stage(at.production, create(), variable('A', '1'), variable('S', 'hidden', { secret: true }));
    const result = await apply(at.production, { reason: 'Needed' });
    return { ...result, approvalId: result.approval?.id ?? '' };
  };

  test('production waits: releases are there, settings are not; approved, they are', async () => {
    const { approvalId, changeSet, deployments } = await held();
    expect([changeSet.state, deployments.length]).toEqual(['held', 1]);
    expect(await variablesOf(at.production)).toEqual([]);
    const detail = await call('GET', `/approvals/${approvalId}`, undefined, at.ours.sessions.viewer);
    expect(detail.body).toMatchObject({
      kind: 'change-set',
      reason: 'Needed',
      diff: [
        {
          serviceSlug: at.service.slug,
          items: [{ kind: 'service.create' }, { key: 'A', to: '"1"' }, { key: 'S', to: '' }],
        },
      ],
      impact: { replicas: 1, services: [{ firstDeploy: true, deploys: true }] },
      checks: [
        { id: 'build', status: 'skipped' },
        { id: 'image', status: 'passed', durationSeconds: expect.any(Number) },
        { id: 'digest', status: 'passed' },
        {},
        { id: 'capacity', status: 'failed' },
      ],
      commits: [],
    });
    expect(detail.text).not.toContain('hidden');
    const pending = await call('GET', `/approvals?projectId=${at.projectId}`);
    expect(pending.body.items).toMatchObject([{ id: approvalId }]);
    expect((await decide(approvalId, 'approved', at.ours.sessions.deployer)).status).toBe(403);
    expect((await decide(approvalId, 'approved')).body).toMatchObject({ decision: 'approved', selfApproved: false });
    expect((await decide(approvalId, 'rejected')).body).toMatchObject({ status: 409 });
    expect(await variablesOf(at.production)).toMatchObject([{ key: 'A', value: '1' }, { key: 'S' }]);
    const after = await call('GET', `/change-sets/${changeSet.id}`);
    expect((after.body.changeSet as { state: string }).state).toBe('applying');
    const decided = await call('GET', `/approvals?projectId=${at.projectId}&state=decided`);
    expect(decided.body.items).toMatchObject([{ id: approvalId, decision: 'approved' }]);
  });

  test('a service without an image yet is said to change its settings alone', async () => {
    const { serviceId } = at.service;
    const value = { ...noSource, kind: 'upload' };
    await stage(at.production, create(), { kind: 'service.set', serviceId, key: 'source', value });
    const { approval } = await apply(at.production);
    const detail = await call('GET', `/approvals/${approval?.id}`, undefined, at.ours.sessions.viewer);
    expect(detail.body).toMatchObject({ impact: { replicas: 0, services: [{ deploys: false }] } });
  });

  test('rejected, the changes return to the draft, and newer ones of the same place win', async () => {
    const { approvalId, changeSet, deployments } = await held();
    await stage(at.production, create(), variable('A', 'newer'));
    expect((await decide(approvalId, 'rejected')).status).toBe(200);
    const { items } = await draft(at.production);
    expect(items.map(({ key, to }) => (key === '' ? 'service' : `${key} ${to}`)).toSorted()).toEqual([
      'A "newer"',
      'S ',
      'service',
    ]);
    const ended = await call('GET', `/change-sets/${changeSet.id}`);
    expect((ended.body.changeSet as { state: string }).state).toBe('rejected');
    const row = await at.api.rows.find('deployment', { id: deployments[0]?.id ?? '' });
    expect(row?.state).toBe('rejected');
    const again = await apply(at.production);
    expect((await decide(again.approval?.id ?? '', 'approved')).status).toBe(200);
    expect(await variablesOf(at.production)).toMatchObject([{ key: 'A', value: 'newer' }, { key: 'S' }]);
  });

  test('its time passes like a decision', async () => {
    const { approvalId } = await held();
    const ref = { id: approvalId, organizationId: at.ours.organizationId, projectId: at.projectId };
    await at.api.effect((one) => decideApproval(one, at.api.keyring, ref, { decision: 'expired' }));
    expect((await draft(at.production)).items).toHaveLength(3);
  });

  test.each([
    ['production is switched off, by an admin with a session alone', 'production'],
    ['the service skips approvals, by an admin', 'skipProductionApproval'],
  ] as const)('%s: what is held stays held, and what comes then is not', async (_words, field) => {
    const { approvalId, deployments } = await held();
    const { admin } = at.ours.sessions;
    const path = field === 'production' ? `/environments/${at.production}` : `/services/${at.service.serviceId}`;
    const off = { [field]: field !== 'production' };
    expect((await call('PATCH', path, off)).status).toBe(403);
    if (field === 'production') {
      expect((await call('PATCH', path, off, at.ours.tokens.admin as typeof admin)).body).toMatchObject({
        status: 403,
      });
    }
    const changed = ok(await call('PATCH', path, off, admin));
    if (field === 'skipProductionApproval') {
      expect(changed).toMatchObject({
        skipProductionApprovalBy: expect.any(String),
        skipProductionApprovalAt: expect.any(String),
      });
    }
    expect((await call('GET', `/approvals/${approvalId}`)).body).not.toHaveProperty('decision');
    const state = async () => (await call('GET', `/deployments/${deployments[0]?.id}`)).body;
    expect(await state()).toMatchObject({ state: 'pending', blocker: 'approval' });
    expect((await decide(approvalId, 'approved', at.ours.sessions.deployer)).status).toBe(403);
    await stage(at.production, create(), variable('B', '2'));
    expect(await apply(at.production)).not.toHaveProperty('approval');
    expect(await state()).toMatchObject({ state: 'pending', blocker: 'approval' });
    expect((await decide(approvalId, 'rejected')).status).toBe(200);
    expect(await state()).toMatchObject({ state: 'rejected' });
  });

  test('a requester does not decide, and what changed meanwhile is stale', async () => {
    const { approvalId } = await held();
    const { changeSet } = await stage(at.production, create(), variable('B', '2'));
    const mine = ok<Applied>(await call('POST', `/change-sets/${changeSet.id}/apply`, {}, at.ours.sessions.admin));
    const waits = async (as: typeof at.ours.sessions.owner) => {
      const list = await call('GET', `/approvals?projectId=${at.projectId}`, undefined, as);
      const listed = (list.body.items as { id: string; waitsForYou: boolean }[]).find(
        ({ id }) => id === mine.approval?.id,
      );
      const { body } = await call('GET', `/approvals/${mine.approval?.id}`, undefined, as);
      return [listed?.waitsForYou, body.waitsForYou];
    };
    expect(await waits(at.ours.sessions.owner)).toEqual([true, true]);
    expect(await waits(at.ours.sessions.admin)).toEqual([false, false]);
    expect(await waits(at.ours.sessions.deployer)).toEqual([false, false]);
    expect((await decide(mine.approval?.id ?? '', 'approved', at.ours.sessions.admin)).status).toBe(403);
    expect((await decide(mine.approval?.id ?? '', 'approved')).status).toBe(200);
    expect((await decide(approvalId, 'approved')).body).toMatchObject({ status: 409 });
    await stage(at.production, variable('C', '3'));
    const third = await apply(at.production);
    const id = third.approval?.id ?? '';
    await at.api.rows.set(
      'environment_service',
      { service_id: at.service.serviceId },
      { live_release_id: third.deployments[0]?.releaseId ?? null },
    );
    expectProblem(await decide(id, 'approved'), 409, 'Refresh it');
    expect((await decide(id, 'rejected')).status).toBe(200);
  });

  test('a service that is excepted is not held', async () => {
    await at.api.rows.set('service', { id: at.service.serviceId }, { skip_production_approval: true });
    await stage(at.production, create());
    expect(await apply(at.production)).toMatchObject({ changeSet: { state: expect.stringMatching(/appl/) } });
  });
});
