import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import {
  apply,
  approvalOf,
  at,
  call,
  create,
  decide,
  failed,
  finish,
  goLive,
  rerun,
  reruns,
  stage,
  variable,
} from '../../test/api/reruns.ts';
import { ok } from '../../test/seeds/apply-ground.ts';

const get = async (id: string) => (await call('GET', `/deployments/${id}`)).body;

/** As the claim of an actor writes where it rolls. */
async function onCluster(id: string): Promise<void> {
  const { kysely } = at.api.database;
  const { environmentId } = await get(id);
  const cluster = uuid();
  const { organizationId } = at.ours;
  await kysely
    .insertInto('cluster')
    .values({ id: cluster, organization_id: organizationId, name: cluster, slug: cluster })
    .execute();
  await kysely
    .updateTable('environment')
    .set({ cluster_id: cluster })
    .where('id', '=', String(environmentId))
    .execute();
  await kysely.updateTable('deployment').set({ cluster_id: cluster }).where('id', '=', id).execute();
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
  expect(await rerun(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('redeploy') } });
  expect(await rerun(second.id)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('Release #2 of') },
  });
});

test('a viewer may not, and one that has not ended cannot be rerun, nor from a stage that it did not reach', async () => {
  const { place, second } = await failed('staging');
  expect((await rerun(second.id, {}, at.ours.sessions.viewer)).status).toBe(403);
  expect(await rerun(second.id, { fromStage: 'check' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('did not reach the stage check') },
  });
  const again = await rerun(second.id);
  const { id } = again.body.deployment as { id: string };
  expect(await rerun(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('has not ended') } });
  expect(await rerun(second.id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('under way') } });
  await finish(id, 'failed');
  const third = await rerun(id);
  expect(third.body.deployment).toMatchObject({ rerunOf: id, environmentId: place });
});

describe('nothing goes back silently', () => {
  test('settings that were applied since are named', async () => {
    const { place, second, applied } = await failed('staging');
    await stage(place, variable('A', '3'));
    const third = await applied();
    await finish(third.id, 'failed');
    expect(await rerun(second.id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('no longer those of release #2') },
    });
    expect((await rerun(third.id)).status).toBe(201);
  });

  test('a retired release is not deployed, a superseded deployment not rerun, and a service that left not started', async () => {
    const { place, second } = await failed('staging');
    const { kysely } = at.api.database;
    await kysely.updateTable('deployment').set({ state: 'superseded' }).where('id', '=', second.id).execute();
    expect(await rerun(second.id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('superseded') },
    });
    await kysely.updateTable('deployment').set({ state: 'failed' }).where('id', '=', second.id).execute();
    await kysely.updateTable('release').set({ retired_at: new Date() }).where('id', '=', second.releaseId).execute();
    expect(await rerun(second.id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('is retired') },
    });
    await kysely.updateTable('release').set({ retired_at: null }).where('id', '=', second.releaseId).execute();
    await kysely.deleteFrom('environment_service').where('environment_id', '=', place).execute();
    expect(await rerun(second.id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('not in') } });
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
    const setApproval = (set: object) => own.updateTable('approval').set(set).where('id', '=', approval.id).execute();
    const setDeployment = (set: object) => own.updateTable('deployment').set(set).where('id', '=', second.id).execute();
    const setSettings = (set: object) =>
      own.updateTable('environment_service').set(set).where('environment_id', '=', at.production).execute();
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
    expect(await rerun(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('was rejected') } });
    const again = await apply(at.production);
    const second = again.deployments[0]?.id ?? '';
    ok(await call('POST', `/deployments/${second}/cancel`));
    expect(await rerun(second)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('never approved') },
    });
  });

  test('a held rerun that is refreshed stays one', async () => {
    const { second } = await failed('production');
    const held = await rerun(second.id);
    const refreshed = await call('POST', `/approvals/${(held.body.approval as { id: string }).id}/refresh`, {});
    expect(refreshed.status, refreshed.text).toBe(201);
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
