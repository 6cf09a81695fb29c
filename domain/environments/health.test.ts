import { expect, test } from 'vitest';
import { type HealthFacts, healthOf, replicasOf } from './health.ts';

const well: HealthFacts = {
  suspended: false,
  live: true,
  inContact: true,
  observed: true,
  error: false,
  replicas: { desired: 2, ready: 2 },
};

test.each<[string, Partial<HealthFacts>, string]>([
  ['all are ready', {}, 'healthy'],
  ['one is not ready', { replicas: { desired: 2, ready: 1 } }, 'degraded'],
  ['all are ready, and something is wrong', { error: true }, 'degraded'],
  ['none is ready', { replicas: { desired: 2, ready: 0 } }, 'down'],
  ['none should run, as of a cron process', { replicas: { desired: 0, ready: 0 } }, 'healthy'],
  ['the cluster is out of contact', { inContact: false }, 'unknown'],
  ['the agent has not told of it', { observed: false }, 'unknown'],
  ['nothing is live', { live: false, inContact: false }, 'none'],
  ['it is suspended', { suspended: true, inContact: false }, 'suspended'],
])('%s', (_, facts, health) => expect(healthOf({ ...well, ...facts })).toBe(health));

test('replicas of two releases count as many as should run; cron processes do not count', () => {
  const processes = [
    { name: 'web', kind: 'http', replicas: 2 },
    { name: 'worker', kind: 'worker', replicas: 1 },
    { name: 'nightly', kind: 'cron', replicas: 1 },
  ];
  const instance = (process: string, state: string) => ({ process, state });
  expect(replicasOf(processes, [])).toEqual({ desired: 3, ready: 0 });
  const instances = [
    ...['ready', 'ready', 'ready', 'running'].map((state) => instance('web', state)),
    instance('worker', 'running'),
    instance('nightly', 'running'),
    instance('gone', 'ready'),
  ];
  expect(replicasOf(processes, instances)).toEqual({ desired: 3, ready: 3 });
  expect(replicasOf(processes, [instance('web', 'running')])).toEqual({ desired: 3, ready: 0 });
});
