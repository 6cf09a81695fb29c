import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { approvalOf, at, failed, rerun, reruns } from '../../test/api/reruns.ts';

const { apply, call, create, finish, goLive, stage, variable, decide } = at;

const get = async (id: string) => (await call('GET', `/deployments/${id}`)).body;

/** As the claim of an actor writes where it rolls. */
async function onCluster(id: string): Promise<void> {
  const { environmentId } = await get(id);
  const cluster = uuid();
  const { organizationId } = at.ours;
  await at.api.rows.add('cluster', { id: cluster, organization_id: organizationId, name: cluster, slug: cluster });
  await at.api.rows.set('environment', { id: String(environmentId) }, { cluster_id: cluster });
  await at.api.rows.set('deployment', { id }, { cluster_id: cluster });
}

reruns();

test('a failed deployment is rerun by a new one of the same release, and each names the other', async () => {
  const { second } = await failed('staging');
  const again = await rerun(second.id, { fromStage: 'queue', reason: 'the database is back' });
  expect(again, again.text).toMatchObject({
    status: 201,
    body: {
      deployment: {
        kind: 'rerun',
        state: 'pending',
        rerunOf: second.id,
        fromStage: 'queue',
        releaseId: second.releaseId,
      },
    },
  });
  const { id } = again.body.deployment as { id: string };
  expect(await get(second.id)).toMatchObject({ rerunId: id, state: 'failed' });
  const events = await call('GET', `/deployments/${id}/events`);
  expect(events.body.items).toMatchObject([
    {
      kind: 'requested',
      message: expect.stringMatching(/Reruns the deployment of release #2 that failed, from the stage queue\.$/),
    },
  ]);
  const audit = await call('GET', '/audit-log?limit=5', undefined, at.ours.sessions.owner);
  expect(JSON.stringify(audit.body)).toContain(second.id);
  await goLive(id);
  expect(await get(id)).toMatchObject({ serving: true });
  expectProblem(await rerun(id), 409, 'redeploy');
  expectProblem(await rerun(second.id), 409, 'Release #2 of');
});

test('a viewer may not, and one that has not ended cannot be rerun, nor from a stage that it did not reach', async () => {
  const { place, second } = await failed('staging');
  expect((await rerun(second.id, {}, at.ours.sessions.viewer)).status).toBe(403);
  expectProblem(await rerun(second.id, { fromStage: 'check' }), 409, 'did not reach the stage check');
  const again = await rerun(second.id);
  const { id } = again.body.deployment as { id: string };
  expectProblem(await rerun(id), 409, 'has not ended');
  expectProblem(await rerun(second.id), 409, 'under way');
  await finish(id, 'failed');
  expect((await rerun(id)).body).toMatchObject({ deployment: { rerunOf: id, environmentId: place } });
});

describe('nothing goes back silently', () => {
  test('settings that were applied since are named', async () => {
    const { place, second, applied } = await failed('staging');
    await stage(place, variable('A', '3'));
    const third = await applied();
    await finish(third.id, 'failed');
    expectProblem(await rerun(second.id), 409, 'no longer those of release #2');
    expect((await rerun(third.id)).status).toBe(201);
  });

  test('a retired release is not deployed, a superseded deployment not rerun, and a service that left not started', async () => {
    const { place, second } = await failed('staging');
    await at.api.rows.set('deployment', { id: second.id }, { state: 'superseded' });
    expectProblem(await rerun(second.id), 409, 'superseded');
    await at.api.rows.set('deployment', { id: second.id }, { state: 'failed' });
    await at.api.rows.set('release', { id: second.releaseId }, { retired_at: new Date() });
    expectProblem(await rerun(second.id), 409, 'is retired');
    await at.api.rows.set('release', { id: second.releaseId }, { retired_at: null });
    await at.api.rows.remove('environment_service', { environment_id: place });
    expectProblem(await rerun(second.id), 409, 'not in');
  });
});

describe('approval', () => {
  const isHeld = (answered: Awaited<ReturnType<typeof rerun>>) => {
    expect(answered.status, answered.text).toBe(201);
    return answered.body.approval !== undefined;
  };

  test('anew, it is held; from a later stage, an approval that still holds counts again', async () => {
    const { second } = await failed('production');
    await onCluster(second.id);
    const anew = await rerun(second.id);
    expect(isHeld(anew)).toBe(true);
    expect(anew.body.deployment).toMatchObject({ state: 'pending', blocker: 'approval', rerunOf: second.id });
    expect((await call('POST', `/deployments/${(anew.body.deployment as { id: string }).id}/cancel`)).status).toBe(200);
    const kept = await rerun(second.id, { fromStage: 'queue' });
    expect(isHeld(kept)).toBe(false);
    expect(kept.body.deployment).toMatchObject({ state: 'pending', blocker: '' });
    const events = await call('GET', `/deployments/${(kept.body.deployment as { id: string }).id}/events`);
    expect(JSON.stringify(events.body.items)).toContain('still holds');
  });

  test('an approval that no longer holds is asked for anew', async () => {
    const { second } = await failed('production');
    await onCluster(second.id);
    const own = tenant(at.api.database.kysely, at.ours.organizationId);
    const rows = {
      approval: own
        .selectFrom('approval')
        .selectAll()
        .where('environment_id', '=', at.production)
        .orderBy('created_at', 'desc'),
      deployment: own.selectFrom('deployment').selectAll().where('id', '=', second.id),
      environment_service: own
        .selectFrom('environment_service')
        .selectAll()
        .where('environment_id', '=', at.production),
    };
    const approval = await rows.approval.executeTakeFirstOrThrow();
    const { cluster_id } = await rows.deployment.executeTakeFirstOrThrow();
    const { applied_digest } = await rows.environment_service.executeTakeFirstOrThrow();
    const setApproval = (set: object) => at.ours.rows.set('approval', { id: approval.id }, set);
    const setDeployment = (set: object) => at.ours.rows.set('deployment', { id: second.id }, set);
    const setSettings = (set: object) =>
      at.ours.rows.set('environment_service', { environment_id: at.production }, set);
    const { decided_by_id, expires_at, self_approved, broken_glass } = approval;
    const [target, basis, authors] = [approval.target, approval.basis, approval.authors].map((one) =>
      JSON.stringify(one),
    );
    const staged = JSON.stringify([{ id: decided_by_id, requested: false, byIssuer: false }]);
    const cases: [why: string, set: (set: object) => Promise<unknown>, to: object, back: object][] = [
      ['the person who gave it may decide no more', setApproval, { decided_by_id: uuid() }, { decided_by_id }],
      ['its time is over', setApproval, { expires_at: new Date(0) }, { expires_at }],
      ['the requester gave it alone', setApproval, { self_approved: true }, { self_approved }],
      ['the person who gave it had staged a part', setApproval, { authors: staged }, { authors }],
      ['the glass was broken for it', setApproval, { broken_glass: true }, { broken_glass }],
      ['it was about another release', setApproval, { target: '{"releases":[]}' }, { target }],
      ['another release was live', setApproval, { basis: '{}' }, { basis }],
      ['the environment moved', setDeployment, { cluster_id: null }, { cluster_id }],
      ['settings differ', setSettings, { applied_digest: null }, { applied_digest }],
    ];
    const asked = async () => {
      const answered = await rerun(second.id, { fromStage: 'queue' });
      const held = isHeld(answered);
      ok(await call('POST', `/deployments/${(answered.body.deployment as { id: string }).id}/cancel`));
      return held;
    };
    for (const [why, set, to, back] of cases) {
      await set(to);
      expect(await asked(), why).toBe(true);
      await set(back);
    }
    expect(await asked(), 'as it was').toBe(false);
  });

  test('a rejected one is requested anew, and changes that were never approved are applied instead', async () => {
    await at.begin();
    await stage(at.production, create());
    const held = await apply(at.production);
    const id = held.deployments[0]?.id ?? '';
    expect((await decide(approvalOf(held), 'rejected')).status).toBe(200);
    expectProblem(await rerun(id), 409, 'was rejected');
    const again = await apply(at.production);
    const second = again.deployments[0]?.id ?? '';
    ok(await call('POST', `/deployments/${second}/cancel`));
    expectProblem(await rerun(second), 409, 'never approved');
  });

  test('a held rerun that is refreshed stays one', async () => {
    const { second } = await failed('production');
    const held = await rerun(second.id);
    ok(await call('POST', `/approvals/${(held.body.approval as { id: string }).id}/refresh`, {}), 201);
    const { rerunId } = await get(second.id);
    expect(rerunId).not.toBe((held.body.deployment as { id: string }).id);
    expect(await get(String(rerunId))).toMatchObject({ kind: 'rerun', rerunOf: second.id, blocker: 'approval' });
  });

  test('approved, a redeployment and a rerun leave what is applied, which goes on to drift', async () => {
    const { place, second } = await failed('production');
    const { serviceId } = await get(second.id);
    const drifting = async () => {
      const answered = await call('GET', `/services/${serviceId}/drift?environmentId=${place}`);
      return (ok<{ items: { key: string }[] }>(answered).items ?? []).map(({ key }) => key);
    };
    const again = await rerun(second.id);
    expect((await decide(approvalOf(again.body as never))).status).toBe(200);
    expect(await drifting()).toEqual(['A']);
    const redeployed = await call('POST', `/services/${serviceId}/redeploy`, { environmentId: place });
    expect((await decide(approvalOf(redeployed.body as never))).status).toBe(200);
    await goLive((redeployed.body.deployment as { id: string }).id);
    expect(await drifting()).toEqual(['A']);
  });
});
