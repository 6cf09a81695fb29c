import { expect, test } from 'vitest';
import { dockerDriver } from '../../../agent/drivers/docker/docker-driver.ts';
import type { Driver } from '../../../agent/drivers/driver.ts';
import { dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { applied, keptMachine, wanted } from '../../agents/kept-machine.ts';
import { steadyTraffic } from '../../applications/steady-traffic.ts';

async function rolls(driver?: (home: string) => Promise<Driver>): Promise<void> {
  const machine = await keptMachine(driver === undefined ? {} : { driver, hostBound: false });
  try {
    let keeper = await machine.keeper();
    const readiness = { kind: 'http', path: '/healthz', everySeconds: 1 };
    // Late to listen, and cut off in the middle of an answer that nobody may ask for again: a mistake is seen.
    const shape = { replicas: 2, args: ['-delay', '500'], checks: { readiness }, drainSeconds: 10 };
    await keeper.desire(wanted(1, await machine.slice('shop', 1, 'v1', shape)), 0);
    await applied(keeper, 1);
    const order = { url: machine.url(), host: 'shop.localhost', path: '/stream?ms=60', perSecond: 200 };
    const traffic = await steadyTraffic(order);
    await keeper.desire(wanted(2, await machine.slice('shop', 2, 'v2', shape)));
    await applied(keeper, 2);
    // Once more, with the agent replaced in the middle.
    await keeper.desire(wanted(3, await machine.slice('shop', 3, 'v3', shape)));
    await keeper.close();
    keeper = await machine.keeper();
    await applied(keeper, 3);
    const { sent, failures } = await traffic.end();
    expect(failures).toEqual([]);
    expect(sent).toBeGreaterThan(100);
    const ready = keeper.observed().slices[0]?.instances.filter(({ state }) => state === 'ready');
    expect(ready?.map(({ release }) => release)).toEqual(['v3', 'v3']);
  } finally {
    await machine.close();
  }
}

test('two replicas roll to a new version under 200 requests a second without losing one: processes', () => rolls());

if (dockerCanRun()) {
  test('two replicas roll to a new version under 200 requests a second without losing one: containers', async () => {
    const engine = await dockerEngine();
    try {
      await rolls((home) => dockerDriver({ home, socket: engine.socket, log: { info: () => {}, warn: () => {} } }));
    } finally {
      await engine.stop();
    }
  });
}
