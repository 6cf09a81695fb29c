import { expect, test } from 'vitest';
import { failedStage, keepsApproval, rerunFault, rerunSentence, stagesToRerun } from './rerun.ts';
import { type DeploymentState, deploymentStates } from './states.ts';

const failed = {
  ...({ kind: 'change-set', as: 'change-set', state: 'failed', held: true, unapproved: false } as const),
  stages: [{ stage: 'approval' }, { stage: 'queue' }, { stage: 'prepare' }, { stage: 'start' }] as const,
  ...{ number: 4, service: 'api', environment: 'Production', present: true, applied: true, later: null },
  fromStage: undefined,
};

test('one that ended without being live can be rerun, and every other state says what to do instead', () => {
  const can = deploymentStates.filter((state) => rerunFault({ ...failed, state }) === undefined);
  expect(can).toEqual(['failed', 'cancelled', 'expired'] satisfies DeploymentState[]);
  for (const state of deploymentStates.filter((one) => !can.includes(one))) {
    expect(rerunFault({ ...failed, state })).toMatch(
      /^The deployment of release #4 of "api" to "Production" .*: .*\.$/,
    );
  }
});

test('a stage is one that it reached', () => {
  expect(stagesToRerun(failed.stages, true)).toEqual(['approval', 'queue', 'prepare', 'start']);
  expect(rerunFault({ ...failed, fromStage: 'start' })).toBeUndefined();
  expect(rerunFault({ ...failed, fromStage: 'check' })).toContain('rerun it from approval, queue, prepare, start');
  expect(stagesToRerun([], false)).toEqual(['queue']);
  // Without the release command that failed.
  const reached = [{ stage: 'queue' }, { stage: 'prepare' }, { stage: 'release-command' }] as const;
  expect(stagesToRerun(reached, false)).toEqual(['queue', 'prepare', 'release-command', 'start']);
  expect([failedStage(failed.stages, true), failedStage([], true), failedStage([], false)]).toEqual([
    ...['start', 'approval', 'queue'],
  ]);
});

test('an approval is asked for anew, unless a later stage is named', () => {
  expect([undefined, 'approval', 'queue', 'start'].map((stage) => keepsApproval(stage as 'queue'))).toEqual([
    ...[false, false, true, true],
  ]);
});

test('never approved: a rollback or redeployment is asked for again, changes are staged', () => {
  const fault = (as: 'rollback' | 'redeploy' | 'change-set' | 'promote') =>
    rerunFault({ ...failed, as, state: 'expired', unapproved: true });
  expect([fault('rollback'), fault('redeploy')]).toEqual([undefined, undefined]);
  expect(fault('change-set')).toContain('its changes are staged again');
  expect(fault('promote')).toContain('promote it again');
});

test('the request says what it repeats', () => {
  expect(rerunSentence(failed, 'start', 'Bea')).toBe(
    'Reruns the deployment of release #4 that failed, from the stage start. The approval by Bea still holds.',
  );
  expect(rerunSentence({ ...failed, state: 'cancelled' }, undefined, undefined)).toBe(
    'Reruns the deployment of release #4 that was cancelled, anew.',
  );
});
