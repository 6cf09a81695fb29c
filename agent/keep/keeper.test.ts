import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { portOf } from '../../machine/test-ground.ts';
import {
  applied,
  type KeptMachine,
  keptMachine,
  lastingIngress,
  through,
  wanted,
} from '../../test/agents/kept-machine.ts';
import { linesOf } from '../../test/agents/release-commands.ts';
import { until } from '../../test/ground/until.ts';
import { sampleLayout } from '../../test/images/sample-image.ts';
import type { Keeper } from './keeper.ts';

const { home: ingress, close } = lastingIngress();
let machine: KeptMachine;
afterEach(() => machine?.close());
afterAll(close);

function instances(keeper: Keeper, key: string) {
  return keeper.observed().slices.find((slice) => slice.key === key)?.instances ?? [];
}

function stateOf(keeper: Keeper, key: string) {
  return instances(keeper, key).map(({ state }) => state);
}

test('a later keeper adopts what runs and restarts nothing, mends what is missing, and drains what shall not be', async () => {
  machine = await keptMachine({ ingress });
  const first = await machine.keeper();
  const [a, b] = [await machine.slice('a', 1, 'r1', { replicas: 2 }), await machine.slice('b', 2, 'r1')];
  await first.desire(wanted(2, a, b), 0);
  await applied(first, 2);
  const before = instances(first, 'a');
  expect(before).toMatchObject([
    { state: 'ready', run: 1, release: 'r1', node: 'here' },
    { state: 'ready', run: 1 },
  ]);
  await first.close();

  // While nobody is there, one is killed and one is gone altogether.
  const [killed, kept] = before;
  const [gone] = instances(first, 'b');
  await machine.driver().stop(killed?.id ?? '', 0);
  await machine.driver().remove(gone?.id ?? '');
  const second = await machine.keeper();
  expect(instances(second, 'a').find(({ id }) => id === kept?.id)).toMatchObject({ state: 'ready', run: 1 });
  expect((await through(machine.url(), 'a.localhost')).status).toBe(200);
  await until('the killed one runs again', async () =>
    instances(second, 'a').every(({ state }) => state === 'ready') ? true : undefined,
  );
  expect(instances(second, 'a').map(({ id, run }) => [id, run])).toEqual([
    [killed?.id, 2],
    [kept?.id, 1],
  ]);
  await until('another one runs', async () => stateOf(second, 'b').includes('ready'));
  expect(instances(second, 'b').map(({ id }) => id)).not.toContain(gone?.id);

  await second.desire({ revision: 3, slices: [], broken: [], removed: ['a'] });
  await until('a is gone', async () => second.observed().slices.every(({ key }) => key !== 'a'));
  expect(second.observed().appliedRevision).toBe(3);
  expect((await machine.driver().list()).map(({ key }) => key)).toEqual(['b']);
  await second.close();

  // Without the file nothing is known, which takes nothing away.
  rmSync(join(machine.home, 'desired.json'));
  const third = await machine.keeper();
  expect(third.revision).toBe(0);
  expect(stateOf(third, 'b')).toEqual(['ready']);
  expect((await through(machine.url(), 'b.localhost')).status).toBe(200);
  await third.desire(wanted(4, { ...b, revision: 4 }), 0);
  await applied(third, 4);
  expect(instances(third, 'b')).toMatchObject([{ state: 'ready', run: 1 }]);
});

test('what is wrong with one slice is its error, stops no other, and is over when the slice is right', async () => {
  machine = await keptMachine({ ingress });
  const keeper = await machine.keeper();
  const good = await machine.slice('good', 1, 'r1');
  const bad = await machine.slice('bad', 2, 'r1', {}, { image: { layout: join(machine.home, 'nothing-here') } });
  const silent = await machine.slice('silent', 3, 'r1', { args: ['-once', '-code', '3'], readyWithinSeconds: 1 });
  const broken = { key: 'broken', revision: 4, error: 'The secret db-password is not set.' };
  await keeper.desire({ revision: 4, slices: [good, bad, silent], broken: [broken], removed: [] }, 0);
  const errorOf = (key: string) => keeper.observed().slices.find((slice) => slice.key === key)?.error;
  await until('good runs', async () => stateOf(keeper, 'good').includes('ready'));
  await until('bad says why', async () => errorOf('bad'));
  await until('silent says why', async () => errorOf('silent')?.includes('code 3'));
  expect(errorOf('broken')).toBe('The secret db-password is not set.');
  expect(errorOf('good')).toBeUndefined();
  await until('good is in effect', async () => keeper.observed().appliedRevision === 1);
  const mended = [await machine.slice('bad', 5, 'r1'), await machine.slice('silent', 6, 'r1')];
  await keeper.desire({ revision: 7, slices: mended, broken: [], removed: ['broken'] });
  await applied(keeper, 7);
  expect(keeper.observed().slices.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
});

test('a process that ends by itself is never in effect, is a crash loop that a later agent knows of, and can be mended', async () => {
  machine = await keptMachine({ ingress });
  const first = await machine.keeper();
  const crashing = { kind: 'worker', port: undefined, stabilizationSeconds: 5, args: ['-once', '-code', '1'] };
  const a = await machine.slice('workload/billing', 1, 'r1', crashing, { routes: [] });
  await first.desire(wanted(1, a), 0);
  const observed = (keeper: Keeper) => keeper.observed().slices.find(({ key }) => key === 'workload/billing');
  await until('it is a crash loop', async () => observed(first)?.crashLoops);
  const text = /^billing\/web is in a crash loop: exited with code 1, 3 restarts in \d+ s\.$/;
  expect(observed(first)).toMatchObject({ appliedRevision: 0, revision: 1, error: expect.stringMatching(text) });
  expect(observed(first)?.crashLoops).toMatchObject([{ process: 'web', restarts: 3, how: 'exited with code 1' }]);
  await first.close();
  const second = await machine.keeper();
  expect(observed(second)?.error).toMatch(text);
  // Applied again as it is: it gets another chance, and what was said before says nothing of it.
  await second.desire(wanted(2, { ...a, revision: 2 }), 1);
  await until('it was tried again', async () => observed(second)?.revision === 2);
  expect(observed(second)?.error).toBeUndefined();
  const mended = await machine.slice('workload/billing', 3, 'r1', { kind: 'worker', port: undefined }, { routes: [] });
  await second.desire(wanted(3, mended), 2);
  await applied(second, 3);
  expect([observed(second)?.error, observed(second)?.crashLoops]).toEqual([undefined, undefined]);
});

test('a layout that changed in its place is taken up when it is applied again, and one that was mended without that', async () => {
  machine = await keptMachine({ ingress });
  const layout = join(machine.home, 'mine');
  const keeper = await machine.keeper();
  const release = async (revision: number) => machine.slice('a', revision, 'r1', {}, { image: { layout } });
  const served = async () => (await through(machine.url(), 'a.localhost', '/')).body;
  await keeper.desire(wanted(1, await release(1)), 0);
  const errorOf = () => keeper.observed().slices[0]?.error;
  await until('it says what is wrong', async () => errorOf()?.includes('has no index.json'));
  await sampleLayout(layout, { version: 'one' });
  await applied(keeper, 1);
  expect([errorOf(), await served()]).toEqual([undefined, expect.stringContaining('"one"')]);

  await sampleLayout(layout, { version: 'two' });
  // Until it is applied again, all replicas are made from the same.
  await keeper.desire(wanted(2, await machine.slice('a', 2, 'r1', { replicas: 2 }, { image: { layout } })), 1);
  await applied(keeper, 2);
  expect(await served()).toContain('"two"');
  const ready = (one: Keeper) =>
    instances(one, 'a').flatMap(({ id, run, state }) => (state === 'ready' ? [{ id, run }] : []));
  const runs = ready(keeper);
  await keeper.close();
  await sampleLayout(layout, { version: 'three' });
  const later = await machine.keeper();
  await later.desire(wanted(2, await machine.slice('a', 2, 'r1', { replicas: 2 }, { image: { layout } })), 0);
  await applied(later, 2);
  expect(ready(later)).toEqual(runs);
  await later.restart('a', undefined, 'token');
  expect(await served()).toContain('"two"');
});

test('what is not well any more gets no requests and is started again; a restart replaces everything once', async () => {
  machine = await keptMachine({ ingress });
  const keeper = await machine.keeper();
  const liveness = { kind: 'http', path: '/healthz', everySeconds: 1, failures: 2 };
  const web = await machine.slice('web', 1, 'r1', { checks: { liveness } });
  await keeper.desire(wanted(1, web), 0);
  await applied(keeper, 1);
  const [before] = instances(keeper, 'web');
  await through(machine.url(), 'web.localhost', '/sick', 'POST');
  const again = await until('it is started again', async () =>
    instances(keeper, 'web').find(({ run, state }) => run === 2 && state === 'ready'),
  );
  expect(again.id).toBe(before?.id);

  await keeper.restart('web', undefined, 'token');
  const fresh = instances(keeper, 'web').find(({ state }) => state === 'ready');
  expect(fresh?.id).not.toBe(before?.id);
  await keeper.restart('web', 'web', 'token');
  expect(instances(keeper, 'web').find(({ state }) => state === 'ready')?.id).toBe(fresh?.id);
  await expect(keeper.restart('web', 'nothing', 'other')).rejects.toThrow('nothing of web is not on this cluster.');
});

test('a port of the ingress that somebody has is said with who it is, and taken when it is free', async () => {
  const squatter = createServer();
  const port = await portOf(squatter);
  machine = await keptMachine({ port });
  const keeper = await machine.keeper();
  const worker = { kind: 'worker', port: undefined };
  const slices = [await machine.slice('a', 1, 'r1'), await machine.slice('b', 2, 'r1', worker, { routes: [] })];
  await keeper.desire(wanted(2, ...slices), 0);
  const fault = `The ingress cannot listen on 127.0.0.1, port ${port}: `;
  const holder = expect.stringMatching(new RegExp(`^${fault}.+ \\(process ${process.pid}\\) has it\\. Stop that, or `));
  const of = (wanted: string) => keeper.observed().slices.find(({ key }) => key === wanted);
  await until('what needs no ingress is in effect', async () => of('b')?.appliedRevision === 2);
  await until('the other one runs', async () => of('a')?.instances[0]?.state === 'ready');
  expect(keeper.observed()).toMatchObject({
    error: holder,
    slices: [{ appliedRevision: 0, error: holder }, { key: 'b' }],
  });
  expect(of('b')?.error).toBeUndefined();
  squatter.close();
  await applied(keeper, 2);
  expect([keeper.observed().error, of('a')?.error]).toEqual([undefined, undefined]);
  expect((await through(machine.url(), 'a.localhost')).status).toBe(200);
});

test('a schedule runs once at its time, also when the agent is another one then', async () => {
  let now = Date.parse('2026-03-01T11:59:58Z');
  machine = await keptMachine({ ingress, clock: { now: () => now } });
  const first = await machine.keeper();
  const cron = { kind: 'cron', port: undefined, schedule: '0 * * * *', args: ['-once', '-code', '7'] };
  const slice = await machine.slice('job', 1, 'r1', cron, { routes: [] });
  await first.desire(wanted(1, slice), 0);
  await applied(first, 1);
  expect(instances(first, 'job')).toEqual([]);
  now += 3000;
  const ended = (keeper: Keeper) => async () => instances(keeper, 'job').find(({ state }) => state === 'ended');
  expect(await until('it has run', ended(first))).toMatchObject({ run: 1, exit: { code: 7 } });
  await first.close();
  const second = await machine.keeper();
  now += 10_000;
  await until('it has looked', async () => instances(second, 'job').length > 0);
  expect(instances(second, 'job')).toMatchObject([{ run: 1, state: 'ended' }]);
});

test('a schedule is run now when that is asked for, with its exit, and as its overlap says while it runs', async () => {
  machine = await keptMachine({ ingress });
  const keeper = await machine.keeper();
  const cron = { kind: 'cron', port: undefined, schedule: '0 0 1 1 *' };
  const job = async (revision: number, more: object) =>
    wanted(revision, await machine.slice('job', revision, 'r1', { ...cron, ...more }, { routes: [] }));
  await keeper.desire(await job(1, { args: ['-once', '-code', '7'] }), 0);
  await applied(keeper, 1);
  const { signal } = new AbortController();
  const run = (token: string, process = 'web') => keeper.run({ key: 'job', process, token, signal });
  expect(await run('one')).toEqual({ outcome: 'done', exitCode: 7 });
  await expect(run('two', 'nothing')).rejects.toThrow('nothing of job is not on this cluster.');

  const running = () => instances(keeper, 'job').filter(({ state }) => state === 'running');
  await keeper.desire(await job(2, {}), 1);
  await applied(keeper, 2);
  const long = run('three');
  await until('it runs', async () => running().length === 1);
  await expect(run('four')).rejects.toThrow('and its runs do not overlap.');
  await keeper.desire(await job(3, { overlap: 'replace', drainSeconds: 5 }), 2);
  await applied(keeper, 3);
  const [first] = running();
  // Before it has begun to listen for signals, one ends it.
  await until('its program has begun', async () => (await linesOf(machine, first?.id ?? '')).includes('started'));
  const other = new AbortController();
  const replacing = keeper.run({ key: 'job', process: 'web', token: 'five', signal: other.signal });
  expect(await long).toEqual({ outcome: 'done', exitCode: 0 });
  await until('another one runs', async () => running().some(({ id }) => id !== first?.id));
  other.abort();
  expect(await replacing).toEqual({ outcome: 'cancelled' });
  await until('it ends', async () => running().length === 0);
});
