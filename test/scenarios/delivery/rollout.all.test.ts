import { expect, test } from 'vitest';
import { dockerDriver } from '../../../agent/drivers/docker/docker-driver.ts';
import type { Driver } from '../../../agent/drivers/driver.ts';
import type { Keeper } from '../../../agent/keep/keeper.ts';
import { dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { type KeptMachine, keptMachine, wanted } from '../../agents/kept-machine.ts';
import { steadyTraffic } from '../../applications/steady-traffic.ts';
import { until } from '../../ground/until.ts';

const readiness = { kind: 'http', path: '/healthz', everySeconds: 1 };
// Late to listen, so that whoever is asked too early is seen.
const shape = {
  replicas: 2,
  args: ['-delay', '300'],
  checks: { readiness },
  stabilizationSeconds: 1,
  drainSeconds: 10,
};
const worker = { name: 'worker', kind: 'worker', stabilizationSeconds: 1 };

const rolloutOf = (keeper: Keeper) => keeper.observed().slices[0]?.rollout;

async function came(keeper: Keeper, id: string, phase: string): Promise<void> {
  const is = async () => rolloutOf(keeper)?.id === id && rolloutOf(keeper)?.phase === phase;
  await until(`${id} is ${phase}`, is, 60).catch((error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(keeper.observed(), null, 1)}`);
  });
}

/** Two processes: what is wanted of `web` is part of both. */
async function release(machine: KeptMachine, revision: number, name: string, web: object = {}) {
  const made = await machine.rolled('shop', revision, name, { ...shape, ...web });
  const { processes } = made.workload;
  const also = { ...processes[0], ...worker, port: undefined, checks: {}, args: ['-silent'], replicas: 1 };
  return { ...made, workload: { ...made.workload, processes: [...processes, also] } } as typeof made;
}

async function rolls(machine: KeptMachine): Promise<void> {
  const keeper = await machine.keeper();
  await keeper.desire(wanted(1, await release(machine, 1, 'v1')), 0);
  await came(keeper, 'v1', 'done');
  const traffic = await steadyTraffic({ url: machine.url(), host: 'shop.localhost', path: '/', perSecond: 200 });
  const second = await release(machine, 2, 'v2');
  await keeper.desire(wanted(2, second));
  await came(keeper, 'v2', 'done');
  expect(keeper.observed().appliedRevision).toBe(2);
  const { at } = rolloutOf(keeper) ?? {};
  expect(Object.keys(at ?? {})).toEqual(['preparing', 'starting', 'checking', 'switching', 'draining', 'done']);

  // One that fails serves nobody, and takes nothing from what serves.
  const before = keeper.observed().slices[0]?.instances.filter(({ state }) => state === 'ready');
  await keeper.desire(wanted(3, await release(machine, 3, 'v3', { args: ['-once', '-code', '7'] })));
  await came(keeper, 'v3', 'returned');
  expect(rolloutOf(keeper)).toMatchObject({
    message: expect.stringMatching(/^web-\w+ exited with code 7, 3 times in a row, before it was healthy\.$/),
    failure: { process: 'web', exit: { code: 7 }, lines: expect.arrayContaining([expect.any(String)]) },
  });
  await until('nothing of it is left running', async () =>
    keeper.observed().slices[0]?.instances.every((one) => one.release !== 'v3' || one.state === 'ended'),
  );
  await keeper.close();
  const next = await machine.keeper();
  expect(rolloutOf(next)).toMatchObject({ id: 'v3', phase: 'returned' });
  const after = next.observed().slices[0]?.instances.filter(({ state }) => state === 'ready');
  expect(after?.map(({ id, run }) => ({ id, run }))).toEqual(before?.map(({ id, run }) => ({ id, run })));
  expect(next.observed().slices[0]?.error).toBeUndefined();

  // The old release again, which replaces nothing.
  await next.desire(wanted(4, { ...second, revision: 4 }));
  await came(next, 'v2', 'done');
  const again = next.observed().slices[0]?.instances.filter(({ state }) => state === 'ready');
  expect(again?.map(({ id, run }) => ({ id, run }))).toEqual(before?.map(({ id, run }) => ({ id, run })));
  const { sent, failures, versions, stale } = await traffic.end();
  expect({ failures, versions, stale }).toEqual({ failures: [], versions: ['v1', 'v2'], stale: 0 });
  expect(sent).toBeGreaterThan(100);
}

async function on(
  driver: ((home: string) => Promise<Driver>) | undefined,
  what: (machine: KeptMachine) => Promise<void>,
) {
  const machine = await keptMachine(driver === undefined ? {} : { driver, hostBound: false });
  try {
    await what(machine);
  } finally {
    await machine.close();
  }
}

test('a release is put in place as a whole under 200 requests a second, or not at all: processes', () =>
  on(undefined, rolls));

if (dockerCanRun()) {
  test('a release is put in place as a whole under 200 requests a second, or not at all: containers', async () => {
    const engine = await dockerEngine();
    try {
      await on((home) => dockerDriver({ home, socket: engine.socket, log: { info: () => {}, warn: () => {} } }), rolls);
    } finally {
      await engine.stop();
    }
  });
}
