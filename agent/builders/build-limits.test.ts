import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import type { BuildBody } from '../../protocol/build.ts';
import { readValues } from '../program/options.ts';
import { buildOptions, buildSettings, halfOfMemory, linesOfLimits, withinMachine } from './build-settings.ts';

const own = { memoryBytes: 8 * 2 ** 30, diskBytes: 20 * 2 ** 30, seconds: 1_800 };
const body = (limits: Partial<BuildBody['limits']>, unset?: BuildBody['unset']): BuildBody => ({
  ...{ kind: 'build', repository: 'o/p/s', cacheKey: 'k', builder: 'auto', context: '', dockerfile: '', target: '' },
  source: { kind: 'upload', sizeBytes: 0 },
  limits: { seconds: 3_600, memoryBytes: 2 ** 31, diskBytes: 2 ** 33, processes: 1_000, ...limits },
  ...(unset === undefined ? {} : { unset }),
});

test('a limit that the service has not set is that of the machine, and no other is more', () => {
  const all: BuildBody['unset'] = ['memoryBytes', 'diskBytes', 'seconds'];
  expect(withinMachine(body({}, all), own).limits).toEqual({ ...own, processes: 1_000 });
  expect(withinMachine(body({ memoryBytes: 2 ** 34 }, ['diskBytes']), own).limits).toMatchObject({
    ...{ memoryBytes: own.memoryBytes, diskBytes: own.diskBytes, seconds: 1_800 },
  });
  // As a control plane asks that knows of no other limits than its own.
  expect(withinMachine(body({}), own).limits).toMatchObject({ memoryBytes: 2 ** 31, diskBytes: 2 ** 33 });
  expect(withinMachine(body({ seconds: 60 }, all), own).limits.seconds).toBe(60);
  expect(withinMachine(body({}, all), { ...own, cpuMilli: 1_500 }).limits.cpuMilli).toBe(1_500);
});

test('the log names the limits, and what a service asks for in vain', () => {
  const asked = body({ memoryBytes: 2 ** 34 }, ['diskBytes', 'seconds']);
  expect(linesOfLimits(asked, withinMachine(asked, { ...own, cpuMilli: 1_500 }))).toEqual([
    'Limits: 8 GB of memory, 20 GB of disk, 30 min, 1.5 cores',
    'The service asks for 16 GB: this cluster gives 8 GB (--build-memory-mib of its agent).',
  ]);
});

test('half of the memory is no more than half of the machine', () => {
  expect(halfOfMemory()).toBeGreaterThanOrEqual(512 * 2 ** 20);
  expect(halfOfMemory()).toBeLessThanOrEqual(Math.max(512 * 2 ** 20, totalmem() / 2));
});

test('limits of the machine are options of its agent, or variables; half of the memory where none says more', () => {
  const command = { name: 'run', summary: '', details: '', options: buildOptions, run: async () => 0 };
  const limits = (args: string[], variables: Record<string, string> = {}) =>
    buildSettings(readValues(command, args, variables)).limits;
  const usual = { memoryBytes: halfOfMemory(), diskBytes: 8 * 2 ** 30, seconds: 3_600 };
  expect(limits([])).toEqual(usual);
  const variables = { BALLAST_AGENT_BUILD_MEMORY_MIB: '3000', BALLAST_AGENT_BUILD_CPUS: '2' };
  expect(limits([], variables)).toEqual({ ...usual, memoryBytes: 3_000 * 2 ** 20, cpuMilli: 2_000 });
  expect(limits(['--build-memory-mib', '5000', '--build-cpus', '0'], variables)).toEqual({
    ...{ ...usual, memoryBytes: 5_000 * 2 ** 20 },
  });
  expect(limits(['--build-disk-gib', '20', '--build-minutes', '30'])).toMatchObject({
    ...{ diskBytes: 20 * 2 ** 30, seconds: 1_800 },
  });
  expect(() => limits(['--build-memory-mib', '32'])).toThrow('--build-memory-mib must be a number from 64');
});
