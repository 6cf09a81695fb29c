import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Keeper } from '../../../agent/keep/keeper.ts';
import { type KeptMachine, keptMachine, wanted } from '../../agents/kept-machine.ts';
import { steadyTraffic } from '../../applications/steady-traffic.ts';
import type { DiesWhen } from '../../deployments/dying-keeper.ts';
import { killedKeepers } from '../../deployments/killed-keepers.ts';
import { until } from '../../ground/until.ts';

interface Cell {
  dies: DiesWhen;
  /** Of the new release. */
  args: string[];
  phases: string[];
  ends: 'done' | 'returned';
}

const whole = ['preparing', 'starting', 'checking', 'switching', 'draining', 'done'];
const matrix: Cell[] = (['after', 'before'] as const).flatMap((dies): Cell[] => [
  { dies, args: ['-delay', '300'], phases: whole, ends: 'done' },
  { dies, args: ['-once', '-code', '7'], phases: ['preparing', 'starting', 'returned'], ends: 'returned' },
]);

test.each(matrix)('an agent killed right $dies each write of a rollout, which ends as $ends', async (cell) => {
  const machine = await keptMachine();
  try {
    await rolls(machine, cell);
  } finally {
    await machine.close();
  }
});

const rolloutOf = (keeper: Keeper) => keeper.observed().slices[0]?.rollout;
const shape = { replicas: 2, stabilizationSeconds: 1, drainSeconds: 10 };

async function rolls(machine: KeptMachine, { dies, args, phases, ends }: Cell): Promise<void> {
  const first = await machine.keeper();
  await first.desire(wanted(1, await machine.rolled('shop', 1, 'v1', shape)), 0);
  await until('the first release is in place', async () => rolloutOf(first)?.phase === 'done');
  const before = runsOf(first, 'v1');
  await first.close();
  const traffic = await steadyTraffic({ url: machine.url(), host: 'shop.localhost', path: '/', perSecond: 100 });
  const second = wanted(2, await machine.rolled('shop', 2, 'v2', { ...shape, args }));
  const killedAt = await killedKeepers(machine.home, second, dies);
  // Before its second write, a keeper has done the first: so each other phase is met.
  if (dies === 'after') expect([...new Set(killedAt)]).toEqual(phases);
  else expect(killedAt.length).toBeGreaterThan(0);
  const { failures, versions, stale } = await traffic.end();
  expect({ failures, stale }).toEqual({ failures: [], stale: 0 });
  expect(versions).toEqual(ends === 'done' ? ['v1', 'v2'] : ['v1']);

  const last = await machine.keeper();
  expect(rolloutOf(last)).toMatchObject({ id: 'v2', phase: ends });
  const times = Object.values(rolloutOf(last)?.at ?? {});
  expect(times).toEqual(times.toSorted());
  await until('only the release that serves runs', async () => {
    const lasting = last.observed().slices[0]?.instances.filter(({ state }) => state !== 'ended') ?? [];
    return lasting.length === shape.replicas && lasting.every(({ state }) => state === 'ready');
  });
  const serving = runsOf(last, ends === 'done' ? 'v2' : 'v1');
  expect(serving).toHaveLength(shape.replicas);
  if (ends === 'returned') expect(serving).toEqual(before);
  // Started once each, however many keepers there were.
  else expect(serving.map(({ run }) => run)).toEqual([1, 1]);
  const known = last.observed().slices[0]?.instances.map(({ id }) => id) ?? [];
  const own = new Set(['.home', '.users.json', '.probe']);
  const directories = readdirSync(join(machine.home, 'instances')).filter((name) => !own.has(name));
  expect(directories.toSorted()).toEqual(known.toSorted());
}

function runsOf(keeper: Keeper, release: string) {
  const ready = keeper
    .observed()
    .slices[0]?.instances.filter((one) => one.state === 'ready' && one.release === release);
  return (ready ?? []).map(({ id, run }) => ({ id, run })).toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
