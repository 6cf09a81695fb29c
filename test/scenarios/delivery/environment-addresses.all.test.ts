import { expect, test } from 'vitest';
import { dockerDriver } from '../../../agent/drivers/docker/docker-driver.ts';
import type { Keeper } from '../../../agent/keep/keeper.ts';
import { dockerCanRun, dockerEngine } from '../../agents/docker-engine.ts';
import { type KeptMachine, keptMachine, through, wanted } from '../../agents/kept-machine.ts';
import { freePort } from '../../ground/free-port.ts';
import { until } from '../../ground/until.ts';

async function came(keeper: Keeper, key: string, id: string, phase = 'done'): Promise<void> {
  const rollout = () => keeper.observed().slices.find((slice) => slice.key === key)?.rollout;
  await until(`${id} of ${key} is ${phase}`, async () => rollout()?.id === id && rollout()?.phase === phase, 60).catch(
    (error: unknown) => {
      throw new Error(`${String(error)} ${JSON.stringify(keeper.observed(), null, 1)}`);
    },
  );
}

const store = { name: 'redis', kind: 'tcp', port: 6379, args: ['-store'] };

function storeOf(
  machine: KeptMachine,
  environment: string,
  revision: number,
  release: string,
  port: number,
  more = {},
) {
  const network = { environment, aliases: ['redis'] };
  const process = { ...store, internalPort: port, ...more };
  return machine.rolled(`env/${environment}/redis`, revision, release, process, { network, routes: [] });
}

function webOf(machine: KeptMachine, environment: string, revision: number) {
  const routes = [{ host: `${environment}.localhost`, process: 'web' }];
  const network = { environment, aliases: ['shop'] };
  return machine.rolled(`env/${environment}/web`, revision, 'r1', {}, { network, routes });
}

/** A line that the web process of an environment says to an address, and the answer. */
async function said(machine: KeptMachine, environment: string, address: string, line: string) {
  const path = `/ask?${new URLSearchParams({ address, line })}`;
  return (await through(machine.url(), `${environment}.localhost`, path)).body.trim();
}

/** A store that is reached by one address over its releases, also while the agent is another one. */
async function reaches(machine: KeptMachine, address: string, port: number): Promise<Keeper> {
  let keeper = await machine.keeper();
  const slices = [await storeOf(machine, 'e1', 1, 'r1', port), await webOf(machine, 'e1', 2)];
  await keeper.desire(wanted(2, ...slices), 0);
  await came(keeper, 'env/e1/redis', 'r1');
  await came(keeper, 'env/e1/web', 'r1');
  expect(await said(machine, 'e1', address, 'set a 1')).toContain('"ok r1"');
  expect(await said(machine, 'e1', address, 'get a')).toContain('"1 r1"');
  await keeper.close();
  expect(await said(machine, 'e1', address, 'get a')).toContain('"1 r1"');
  keeper = await machine.keeper();
  // One that fails takes nothing away.
  await keeper.desire(wanted(3, await storeOf(machine, 'e1', 3, 'r2', port, { args: ['-once'] })), 2);
  await came(keeper, 'env/e1/redis', 'r2', 'returned');
  expect(await said(machine, 'e1', address, 'get a')).toContain('"1 r1"');
  await keeper.desire(wanted(4, await storeOf(machine, 'e1', 4, 'r3', port)), 3);
  await came(keeper, 'env/e1/redis', 'r3');
  expect(await said(machine, 'e1', address, 'set a 2')).toContain('"ok r3"');
  await keeper.desire(wanted(5, await storeOf(machine, 'e1', 5, 'r4', port, { replicas: 0 })), 4);
  await came(keeper, 'env/e1/redis', 'r4');
  return keeper;
}

test('a service reaches another one of its environment by one address over all releases: processes', async () => {
  const machine = await keptMachine();
  try {
    const port = await freePort();
    const keeper = await reaches(machine, `127.0.0.1:${port}`, port);
    expect(await said(machine, 'e1', `127.0.0.1:${port}`, 'get a')).toContain('connection refused');
    expect((await machine.driver().facts()).holds.separation).toMatchObject({ holds: false });
    expect(keeper.observed().error).toBeUndefined();
  } finally {
    await machine.close();
  }
});

if (dockerCanRun()) {
  test('a service reaches another one of its environment by its name, and none of others: containers', async () => {
    const engine = await dockerEngine({ networks: 2 });
    const log = { info: () => {}, warn: () => {} };
    const machine = await keptMachine({
      driver: (home) => dockerDriver({ home, socket: engine.socket, log }),
      hostBound: false,
    });
    try {
      const port = await freePort();
      const keeper = await reaches(machine, 'redis:6379', port);
      expect(await said(machine, 'e1', 'redis:6379', 'get a')).toContain('error');
      await keeper.desire(wanted(6, await storeOf(machine, 'e1', 6, 'r5', port), await webOf(machine, 'e2', 7)), 5);
      await came(keeper, 'env/e1/redis', 'r5');
      await came(keeper, 'env/e2/web', 'r1');
      // Clients hold on to names that they have read for some seconds.
      const stored = async () => (await said(machine, 'e1', 'redis.redis:6379', 'set a 3')).includes('"ok r5"');
      await until('the new one has its name', stored);
      expect(await said(machine, 'e2', 'redis:6379', 'get a')).toContain('error');
      // Nor by its number.
      const id = keeper
        .observed()
        .slices.find(({ key }) => key === 'env/e1/redis')
        ?.instances.find(({ state }) => state === 'ready')?.id;
      const found = (await machine.driver().list()).find((instance) => instance.id === id)?.address;
      expect(await said(machine, 'e1', `${found?.host}:${found?.port}`, 'get a')).toContain('"3 r5"');
      expect(await said(machine, 'e2', `${found?.host}:${found?.port}`, 'get a')).toContain('error');
      expect((await machine.driver().facts()).holds.separation).toMatchObject({ holds: true });
      // A third environment than the engine has networks for says what to do.
      await keeper.desire(wanted(8, await webOf(machine, 'e3', 8)), 6);
      const third = () => keeper.observed().slices.find(({ key }) => key === 'env/e3/web')?.rollout?.message;
      await until('it says why it does not start', async () => third()?.includes('"default-address-pools"'));
    } finally {
      await machine.close();
      await engine.stop();
    }
  });
}
