import { expect, test } from 'vitest';
import { fc } from '../../test/run/drawn.ts';
import { endedStages, type PhaseTimes, rolloutPhases, stagesAfter, stagesAtClaim } from './states.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

test('a deployment that was held shows its approval, then the queue', () => {
  expect(stagesAtClaim({ createdAt: at(0), decidedAt: at(60), now: at(61) })).toEqual([
    { stage: 'approval', startedAt: at(0), endedAt: at(60) },
    { stage: 'queue', startedAt: at(60), endedAt: at(61) },
    { stage: 'prepare', startedAt: at(61) },
  ]);
});

test('stages that went by between two reports get the times of the agent', () => {
  const claimed = stagesAtClaim({ createdAt: at(0), now: at(1) });
  const times = { starting: at(2), checking: at(3), switching: at(8), draining: at(8.1), done: at(9) };
  expect(stagesAfter(claimed, { phase: 'done', at: times, now: at(10) }).slice(1)).toEqual([
    { stage: 'prepare', startedAt: at(1), endedAt: at(2) },
    { stage: 'start', startedAt: at(2), endedAt: at(3) },
    { stage: 'check', startedAt: at(3), endedAt: at(8) },
    { stage: 'switch', startedAt: at(8), endedAt: at(8.1) },
    { stage: 'drain', startedAt: at(8.1), endedAt: at(9) },
  ]);
});

test('a rollout that returned ends in the stage that it had reached', () => {
  const claimed = stagesAtClaim({ createdAt: at(0), now: at(1) });
  const times = { starting: at(2), checking: at(3), returned: at(5) };
  const stages = stagesAfter(claimed, { phase: 'returned', at: times, now: at(6) });
  expect(stages.at(-1)).toEqual({ stage: 'check', startedAt: at(3), endedAt: at(5) });
});

test('whatever the clock of the agent says, stages have no gap, no overlap, and each is there once', () => {
  const time = fc.integer({ min: -100, max: 200 }).map(at);
  const times = fc.record(Object.fromEntries(rolloutPhases.map((phase) => [phase, time])), { requiredKeys: [] });
  const phases = fc.subarray([...rolloutPhases]);
  fc.assert(
    fc.property(times, phases, (told: PhaseTimes, heard) => {
      let now = 10;
      let stages = stagesAtClaim({ createdAt: at(0), now: at(now) });
      for (const phase of heard) {
        now += 5;
        stages = stagesAfter(stages, { phase, at: told, now: at(now) });
      }
      stages = endedStages(stages, undefined, at(now + 5));
      expect(new Set(stages.map(({ stage }) => stage)).size).toBe(stages.length);
      for (const [index, { startedAt, endedAt = '' }] of stages.entries()) {
        expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
        expect(stages[index + 1]?.startedAt ?? endedAt).toBe(endedAt);
      }
    }),
  );
});
