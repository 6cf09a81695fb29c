import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { identify, type ProcessIdentity } from '../../../machine/process-identity.ts';
import { until } from '../../../test/ground/until.ts';
import { sampleTest as test } from '../../../test/images/sample-test.ts';
import { processGround } from '../../../test/machines/process-ground.ts';
import { DriverBench } from '../driver-bench.ts';
import { keeperScript } from './launch/begin-run.ts';
import { lastRun } from './runs.ts';

const here = await processGround();
const bench = await DriverBench.on(here);
const { driver } = bench;
afterEach(async () => {
  for (const { id } of await driver.list()) await driver.remove(id);
});
afterAll(() => here.close());

async function started(): Promise<{ id: string; keeper: ProcessIdentity; child: ProcessIdentity }> {
  const id = await bench.started();
  await bench.answering(id);
  const { keeper, child } = lastRun(join(here.home, 'instances', id)) ?? {};
  if (keeper === undefined || child === undefined) throw new Error('nobody keeps it');
  return { id, keeper, child };
}
/** The processes that run a program beneath the instance's files. */
function running(id: string): number[] {
  const tree = join(here.home, 'trees', id);
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || identify(Number(name)) === undefined) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(tree) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

test('a second keeper of a run, which a killed agent may have left, ends at once', async () => {
  const { id, child } = await started();
  const args = [keeperScript, join(here.home, 'instances', id), '1', '--', '/bin/sh', '-s'];
  const second = spawn('/bin/sh', args, { stdio: 'ignore' });
  expect(await once(second, 'exit')).toEqual([1, null]);
  expect(running(id)).toEqual([child.pid]);
});

test('its keeper killed: it runs on, and nobody sees how it ends', async () => {
  const { id, keeper, child } = await started();
  process.kill(keeper.pid, 'SIGKILL');
  await until('the end of its keeper', async () => identify(keeper.pid) === undefined);
  expect(await bench.seen(id)).toMatchObject({ state: 'running', run: 1 });
  await driver.start(id);
  expect(running(id)).toEqual([child.pid]);
  process.kill(child.pid, 'SIGKILL');
  const exit = await bench.ended(id);
  expect(Object.keys(exit)).toEqual(['run', 'at']);
  await driver.start(id);
  expect(await bench.seen(id)).toMatchObject({ state: 'running', run: 2, exit });
});

test('killed by somebody else, or with its keeper: what is known of its end is told', async () => {
  const first = await started();
  process.kill(first.child.pid, 'SIGKILL');
  expect(await bench.ended(first.id)).toMatchObject({ run: 1, code: 137, signal: 'SIGKILL' });
  const second = await started();
  for (const { pid } of [second.keeper, second.child]) process.kill(pid, 'SIGKILL');
  expect(await bench.ended(second.id)).not.toHaveProperty('code');
});

test('after the machine was started again, a stranger with its pid is not taken for it', async () => {
  const { id } = await started();
  await driver.stop(id, 5);
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  try {
    const run = join(here.home, 'instances', id, 'runs/2');
    mkdirSync(run);
    for (const name of ['keeper', 'child']) writeFileSync(join(run, name), `${stranger.pid} another-boot/1\n`);
    expect(await bench.ended(id, 2)).toEqual({ run: 2, at: expect.any(Date) });
    await driver.stop(id, 0);
    await driver.start(id);
    await driver.remove(id);
    expect(identify(stranger.pid ?? 0)).toBeDefined();
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('a port stays with its instance, and is another when somebody else has taken it', async () => {
  const { id } = await started();
  const port = (await bench.seen(id))?.address?.port;
  await driver.stop(id, 5);
  await driver.start(id);
  expect((await bench.seen(id))?.address?.port).toBe(port);
  await driver.stop(id, 5);
  const taker = createServer().listen(port, '127.0.0.1');
  await once(taker, 'listening');
  try {
    await driver.start(id);
    expect((await bench.seen(id))?.address?.port).not.toBe(port);
  } finally {
    taker.close();
  }
});
