import { expect, test } from 'vitest';
import { changedProcess, newProcess, type ProcessChanges, processFaults } from './process-faults.ts';
import { defaultProcess } from './settings.ts';

const faultsOf = (given: ProcessChanges) => processFaults(newProcess(given)).map(({ field }) => field);

test('the defaults of each kind that needs nothing more fit each other', () => {
  for (const kind of ['http', 'tcp', 'worker'] as const) expect(faultsOf({ kind })).toEqual([]);
  expect(newProcess({ kind: 'worker' })).not.toHaveProperty('port');
  expect(newProcess({ kind: 'tcp' }).port).toBe(8080);
  expect(newProcess({})).toEqual(defaultProcess);
});

test.each<[string, ProcessChanges, string[]]>([
  ['a web process without a port', { port: null }, ['port']],
  ['a cron process without a schedule', { kind: 'cron' }, ['schedule']],
  ['a schedule of six fields', { kind: 'cron', schedule: '* * * * * *' }, ['schedule']],
  ['a schedule that cannot be read', { kind: 'cron', schedule: 'a b c d e' }, ['schedule']],
  ['a moment that never comes', { kind: 'cron', schedule: '0 0 30 2 *' }, ['schedule']],
  ['a time zone of nowhere', { kind: 'cron', schedule: '0 3 * * *', timeZone: 'Mars/Base' }, ['timeZone']],
  ['a schedule of a worker', { kind: 'worker', schedule: '0 3 * * *' }, ['schedule']],
  ['a check of a worker without a port', { kind: 'worker', readinessPath: '/ready' }, ['readinessPath']],
  ['a fixed port of a worker without a port', { kind: 'worker', fixedPort: true }, ['fixedPort']],
  ['metrics without a port', { kind: 'worker', metricsEnabled: true }, ['metricsPort']],
  ['more requested than allowed', { cpuRequestMilli: 200, cpuLimitMilli: 100 }, ['cpuRequestMilli']],
  ['more memory than allowed', { memoryRequestBytes: 9_000_000, memoryLimitBytes: 8_000_000 }, ['memoryRequestBytes']],
])('%s is at fault', (_, given, faults) => expect(faultsOf(given)).toEqual(faults));

test('a change keeps what it does not name, and null takes away', () => {
  const before = newProcess({ memoryLimitBytes: 9_000_000 });
  const after = changedProcess(before, { memoryLimitBytes: null, replicas: 3, port: undefined });
  expect(after).toEqual({ ...defaultProcess, replicas: 3 });
});
