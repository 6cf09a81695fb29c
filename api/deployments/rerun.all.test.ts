import { describe, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { at, failed, rerun, reruns } from '../../test/api/reruns.ts';

const { call, goLive, stage, variable, decide } = at;

const project = () => ({ organizationId: at.ours.organizationId, projectId: at.projectId });

reruns();

describe('nothing goes back silently', () => {
  test('a release that went live since names the rollback', async () => {
    const { place, second, applied } = await failed('staging');
    await stage(place, variable('A', '3'));
    await goLive((await applied()).id);
    expectProblem(await rerun(second.id), 409, 'rollback');
  });
});

describe('approval', () => {
  test('a rollback that nobody approved in time brings its settings back once its rerun is approved', async () => {
    const { place, first, second } = await failed('production');
    expect((await call('POST', `/releases/${first.releaseId}/rollback`, {})).status).toBe(409);
    const kept = await rerun(second.id);
    await decide((kept.body.approval as { id: string }).id);
    await goLive((kept.body.deployment as { id: string }).id);
    const back = await call('POST', `/releases/${first.releaseId}/rollback`, {});
    const { id: approvalId } = back.body.approval as { id: string };
    await at.api.effect((expiring) => admit(expiring, project(), { event: 'decide', approvalId, decision: 'expired' }));
    const again = await rerun((back.body.deployment as { id: string }).id);
    expect(again.body).toMatchObject({ approval: { kind: 'rollback' }, deployment: { kind: 'rerun' } });
    expect(await at.variablesOf(place)).toMatchObject([{ key: 'A', value: '2' }]);
    expect((await decide((again.body.approval as { id: string }).id)).status).toBe(200);
    expect(await at.variablesOf(place)).toMatchObject([{ key: 'A', value: '1' }]);
  });

  test('a held rerun is not refreshed once its release is no longer what the environment wants', async () => {
    const { place, second } = await failed('production');
    const held = await rerun(second.id);
    await at.api.rows.set(
      'environment_service',
      { environment_id: place },
      { applied_digest: 'that of another release' },
    );
    const refreshed = await call('POST', `/approvals/${(held.body.approval as { id: string }).id}/refresh`, {});
    expect(refreshed).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('no longer those of release #2') },
    });
  });
});
