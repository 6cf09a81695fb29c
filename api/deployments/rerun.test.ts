import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { type Applied, ApplyGround, ok } from '../../test/seeds/apply-ground.ts';
import { machine } from '../../test/seeds/seed.ts';

const at = new ApplyGround();
const { apply, call, create, finish, goLive, stage, variable } = at;

beforeAll(() => at.open());
afterAll(() => at.close());

const rerun = (id: string, body: object = {}, as = at.ours.sessions.deployer) =>
  call('POST', `/deployments/${id}/rerun`, body, as);
const get = async (id: string) => (await call('GET', `/deployments/${id}`)).body;
const decide = (approvalId: string, decision = 'approved') =>
  call('POST', `/approvals/${approvalId}/decide`, { decision, reason: 'because' }, at.ours.sessions.owner);
const approvalOf = ({ approval }: Pick<Applied, 'approval'>) => approval?.id ?? '';
const project = () => ({ organizationId: at.ours.organizationId, projectId: at.projectId });

/** Live is release 1; release 2 was applied, and failed unless it says otherwise. */
async function failed(environmentId: string, state: 'failed' | 'cancelled' = 'failed') {
  await at.begin();
  const place = environmentId === 'production' ? at.production : at.staging;
  const applied = async () => {
    const result = await apply(place);
    if (place === at.production) expect((await decide(approvalOf(result))).status).toBe(200);
    return { id: result.deployments[0]?.id ?? '', releaseId: result.deployments[0]?.releaseId ?? '' };
  };
  await stage(place, create(), variable('A', '1'));
  const first = await applied();
  await goLive(first.id);
  await stage(place, variable('A', '2'));
  const second = await applied();
  await finish(second.id, state);
  return { place, first, second, applied };
}

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

test('a viewer may not, and one that has not ended cannot be rerun', async () => {
  const { place, second } = await failed('staging');
  expect((await rerun(second.id, {}, at.ours.sessions.viewer)).status).toBe(403);
  const again = await rerun(second.id);
  const { id } = again.body.deployment as { id: string };
  expect(await rerun(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('has not ended') } });
  expect(await rerun(second.id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('under way') } });
  await finish(id, 'failed');
  const third = await rerun(id);
  expect(third.body.deployment).toMatchObject({ rerunOf: id, environmentId: place });
});

test('a stage that it did not reach is refused by name', async () => {
  const { second } = await failed('staging');
  expect(await rerun(second.id, { fromStage: 'check' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('did not reach the stage check') },
  });
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

  test('a release that went live since names the rollback', async () => {
    const { place, second, applied } = await failed('staging');
    await stage(place, variable('A', '3'));
    await goLive((await applied()).id);
    expect(await rerun(second.id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('rollback') },
    });
  });

  test('a retired release is not deployed, and a superseded deployment not rerun', async () => {
    const { second } = await failed('staging');
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
  });

  test('a service that left the environment is not started there', async () => {
    const { place, second } = await failed('staging');
    const of = at.api.database.kysely.deleteFrom('environment_service').where('environment_id', '=', place);
    await of.execute();
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

  test.each<[string, (second: { id: string; releaseId: string }) => Promise<unknown>]>([
    ['the person who gave it may decide no more', async () => await setApproval({ decided_by_id: uuid() })],
    ['its time is over', async () => await setApproval({ expires_at: new Date(0) })],
    ['the requester gave it alone', async () => await setApproval({ self_approved: true })],
    ['the glass was broken for it', async () => await setApproval({ broken_glass: true })],
    ['it was about another release', async () => await setApproval({ target: '{"releases":[]}' })],
    ['another release was live', async () => await setApproval({ basis: '{}' })],
    [
      'the environment moved',
      async ({ id }) =>
        await at.api.database.kysely.updateTable('deployment').set({ cluster_id: null }).where('id', '=', id).execute(),
    ],
    [
      'settings differ',
      async () =>
        await at.api.database.kysely
          .updateTable('environment_service')
          .set({ applied_digest: null })
          .where('environment_id', '=', at.production)
          .execute(),
    ],
  ])('it is held for a new one where %s', async (_, change) => {
    const { second } = await failed('production');
    await onCluster(second.id);
    await change(second);
    expect(isHeld(await rerun(second.id, { fromStage: 'queue' }))).toBe(true);
  });

  async function setApproval(set: Record<string, unknown>): Promise<void> {
    const own = at.api.database.kysely.updateTable('approval').where('environment_id', '=', at.production);
    await own.set(set as never).execute();
  }

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

  test('a rollback that nobody approved in time brings its settings back once its rerun is approved', async () => {
    const { place, first, second } = await failed('production');
    const held = await call('POST', `/releases/${first.releaseId}/rollback`, {});
    expect(held.status).toBe(409);
    const kept = await rerun(second.id);
    await decide((kept.body.approval as { id: string }).id);
    await goLive((kept.body.deployment as { id: string }).id);
    const back = await call('POST', `/releases/${first.releaseId}/rollback`, {});
    const { id: approvalId } = back.body.approval as { id: string };
    await effect(at.api.database, machine, (expiring) =>
      admit(expiring, project(), { event: 'decide', approvalId, decision: 'expired' }),
    );
    const again = await rerun((back.body.deployment as { id: string }).id);
    expect(again.body).toMatchObject({ approval: { kind: 'rollback' }, deployment: { kind: 'rerun' } });
    expect(await at.variablesOf(place)).toMatchObject([{ key: 'A', value: '2' }]);
    expect((await decide((again.body.approval as { id: string }).id)).status).toBe(200);
    expect(await at.variablesOf(place)).toMatchObject([{ key: 'A', value: '1' }]);
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

  test('a held rerun is not refreshed once its release is no longer what the environment wants', async () => {
    const { place, second } = await failed('production');
    const held = await rerun(second.id);
    const of = at.api.database.kysely.updateTable('environment_service').where('environment_id', '=', place);
    await of.set({ applied_digest: 'that of another release' }).execute();
    const refreshed = await call('POST', `/approvals/${(held.body.approval as { id: string }).id}/refresh`, {});
    expect(refreshed).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('no longer those of release #2') },
    });
  });
});
