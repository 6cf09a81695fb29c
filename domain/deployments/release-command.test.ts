import { expect, test } from 'vitest';
import { interruptedSentence, runsReleaseCommand } from './release-command.ts';
import { deploymentKinds, deploymentStages } from './states.ts';

test('deployments that bring a release run its command, the others put one back whose command ran', () => {
  const runs = deploymentKinds.filter((as) => runsReleaseCommand({ as, fromStage: undefined, isLive: false }));
  expect(runs).toEqual(['deploy', 'change-set', 'promote']);
  expect(runsReleaseCommand({ as: 'deploy', fromStage: undefined, isLive: true })).toBe(false);
});

test('a rerun from a later stage leaves it out', () => {
  const runs = deploymentStages.filter((fromStage) => runsReleaseCommand({ as: 'promote', fromStage, isLive: false }));
  expect(runs).toEqual(['approval', 'queue', 'prepare', 'release-command']);
});

test('a cancellation says whether it may have begun', () => {
  expect(interruptedSentence(true)).toContain('while its release command ran');
  expect(interruptedSentence(false)).toContain('may have begun');
});
