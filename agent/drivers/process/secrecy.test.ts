import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { identify } from '../../../machine/process-identity.ts';
import { until } from '../../../test/ground/until.ts';
import { sampleTest as test } from '../../../test/images/sample-test.ts';
import { processGround } from '../../../test/machines/process-ground.ts';
import type { Driver } from '../driver.ts';
import { DriverBench, type Wish } from '../driver-bench.ts';
import { groupsIn } from './instance-files.ts';
import { lastRun } from './runs.ts';

let here: Awaited<ReturnType<typeof processGround>>;
let bench: DriverBench;
let driver: Driver;
beforeAll(async () => {
  here = await processGround();
  bench = await DriverBench.on(here);
  ({ driver } = bench);
});
afterEach(async () => {
  for (const { id } of await driver.list()) await driver.remove(id);
});
afterAll(() => here.close());
const asRoot = process.getuid?.() === 0;

const started = (wish: Wish, command: string[] = []) =>
  bench.started({ key: 'shop/a', ...wish, process: { kind: 'worker', port: undefined, command } });
const directoryOf = (id: string) => join(here.home, 'instances', id);
const output = (id: string, stream = 'stdout') => readFileSync(join(directoryOf(id), stream), 'utf8');
const said = (id: string, text: string) => until(`"${text}"`, async () => output(id).includes(text));
function pidOf(id: string): number {
  return lastRun(directoryOf(id))?.child?.pid ?? 0;
}

test('what is secret stands in no arguments, from the first moment on, and in no other environment', async () => {
  const secret = randomBytes(12).toString('hex');
  const seen: string[] = [];
  const before = new Set(readdirSync('/proc'));
  let over = false;
  const looking = (async () => {
    while (!over) {
      for (const pid of readdirSync('/proc').filter((name) => !before.has(name))) {
        try {
          if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(secret)) seen.push(pid);
        } catch {
          // The process has ended.
        }
      }
      await new Promise(setImmediate);
    }
  })();
  const id = await started({ environment: { TOKEN: secret } });
  await said(id, 'started');
  await driver.exec(id, ['/app/sample', '-env'], { output: () => {}, signal: AbortSignal.timeout(120_000) });
  over = true;
  await looking;
  expect(seen).toEqual([]);
  const own = readFileSync(`/proc/${pidOf(id)}/environ`, 'utf8').split('\0');
  expect(own.map((one) => one.split('=')[0]).sort()).toEqual(['', 'HOME', 'PATH', 'TOKEN']);
  expect(own).toContain(`TOKEN=${secret}`);
  const keeper = lastRun(directoryOf(id))?.keeper?.pid;
  expect(readFileSync(`/proc/${keeper}/environ`, 'utf8')).not.toContain(secret);
});

test.runIf(asRoot)('each slice has a user of its own that reads its own files only and gains no rights', async () => {
  const ids = [await started({ key: 'shop/a' }), await started({ key: 'shop/b' }), await started({ key: 'shop/a' })];
  for (const id of ids) await said(id, 'started');
  const status = ids.map((id) => readFileSync(`/proc/${pidOf(id)}/status`, 'utf8'));
  const users = status.map((text) => Number(/^Uid:\s+(\d+)/m.exec(text)?.[1]));
  expect(users[0]).toBe(users[2]);
  expect(users[0]).not.toBe(users[1]);
  for (const user of users) expect(user).toBeGreaterThanOrEqual(61_184);
  for (const text of status) {
    expect(text).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(text).toMatch(/^Groups:\s*$/m);
    expect(text).toMatch(/^CapEff:\s+0+$/m);
    // Nothing that a shell ignores is ignored.
    expect(text).toMatch(/^SigIgn:\s+0+$/m);
  }
  const [own = '', other = ''] = ids;
  const attempts = [
    `cat ${directoryOf(own)}/spec.json`,
    `cat ${directoryOf(own)}/launch`,
    `ls ${directoryOf(other)}`,
    `ls ${here.home}/trees/${other}`,
    `ls ${here.home}/trees`,
    'echo x >/app/sample || echo x >app/sample || echo x >sample',
    `kill -0 ${pidOf(other)}`,
  ];
  for (const attempt of attempts) {
    let text = '';
    const output = (_: string, bytes: Buffer) => {
      text += bytes;
    };
    const { code } = await driver.exec(own, ['/bin/sh', '-c', attempt], {
      output,
      signal: AbortSignal.timeout(120_000),
    });
    expect(`${attempt}: ${code === 0 ? 'allowed' : text}`).toMatch(/denied|not permitted/i);
  }
  expect(statSync(directoryOf(own)).mode & 0o077).toBe(0);
});

test('a volume is where it was said, and in no place that a link of the image leads to', async () => {
  const volumes = [{ name: 'my-data', path: '/app/data' }];
  const id = await started({ volumes }, ['/bin/sh', '-c', 'echo kept >data/file; echo "$VOLUME_MY_DATA"; sleep 600']);
  const place = join(here.home, 'volumes/shop%2Fa/my-data');
  await said(id, place);
  expect(readFileSync(join(place, 'file'), 'utf8')).toBe('kept\n');
  if (asRoot) expect(statSync(place).uid).toBeGreaterThanOrEqual(61_184);
  await expect(started({ volumes: [...volumes, { name: 'inner', path: '/app/data/inner' }] })).rejects.toThrow(
    'No volume can be mounted',
  );
  await expect(started({ volumes: [{ name: 'over', path: '/app/sample/x' }] })).rejects.toThrow('No volume');
});

test.runIf(asRoot)("a user is a slice's while there is something of it", async () => {
  const file = join(here.home, 'instances/.users.json');
  const known = (): Record<string, number> => JSON.parse(readFileSync(file, 'utf8'));
  const volumes = [{ name: 'kept', path: '/app/data' }];
  const ids = [await started({ key: 'gone/a', volumes }), await started({ key: 'gone/b' })];
  const { 'gone/a': first = 0, 'gone/b': other = 0 } = known();
  for (const id of ids) await driver.remove(id);
  expect(known()).toMatchObject({ 'gone/a': first, [`.freed-${other}`]: other });
  expect(known()).not.toHaveProperty('gone/b');
  await driver.volumes.remove('gone/a', 'kept');
  expect(readFileSync(file, 'utf8')).not.toContain('gone/');
  expect(known()[`.freed-${first}`]).toBe(first);
});

test('what made itself independent is found and ended, also when it outlives what started it', async (context) => {
  const { holds } = await driver.facts();
  if (!holds.memoryLimit?.holds) return context.skip();
  const script = '(setsid sh -c "trap \\"\\" TERM; echo independent \\$\\$; sleep 601 & wait; sleep 601" &); sleep 600';
  const id = await started({}, ['/bin/sh', '-c', script]);
  await said(id, 'independent');
  const pid = Number(/independent (\d+)/.exec(output(id))?.[1]);
  await driver.stop(id, 5);
  expect(identify(pid)).toBeUndefined();

  const other = await started({}, ['/bin/sh', '-c', 'setsid sleep 602 & echo independent $!; sleep 0.2; exit 4']);
  await until('its end', async () => (await driver.list()).some((each) => each.id === other && each.state === 'ended'));
  const orphan = Number(/independent (\d+)/.exec(output(other))?.[1]);
  expect(orphan).toBeGreaterThan(0);
  // Killed before the end was written down, and gone when a busy machine has come to it.
  await until('the orphan is gone', async () => identify(orphan) === undefined);
  const groups = groupsIn(directoryOf(other));
  expect(groups.every((group) => existsSync(group))).toBe(true);
  await driver.remove(other);
  expect(groups.some((group) => existsSync(group))).toBe(false);
});

test('an image for another kind of machine, and one that says nothing of it, is refused', async () => {
  const signal = AbortSignal.timeout(120_000);
  await expect(driver.prepare({ ...bench.image, annotations: {} }, signal)).rejects.toThrow('has a base system');
  const annotations = { 'dev.ballast.host-bound': 'linux/s390x' };
  await expect(driver.prepare({ ...bench.image, annotations }, signal)).rejects.toThrow('was made for linux/s390x');
  await expect(started({}, ['nowhere-to-be-found'])).rejects.toThrow('neither in the image nor on the machine');
});

test.runIf(asRoot)('while its tree grows nobody but the agent can come near it', async () => {
  const seen: string[] = [];
  const watching = watch(join(here.home, 'trees'), (_, name) => void seen.push(String(name)));
  try {
    const id = await started({});
    await until('the tree is there', async () => seen.includes(id));
    expect(new Set(seen)).toEqual(new Set([id]));
  } finally {
    watching.close();
  }
});

test.runIf(asRoot)('no instance can have so many processes that the machine has none left', async () => {
  const groups = groupsIn(directoryOf(await started({})));
  const limits = groups.map((group) => join(group, 'pids.max')).filter((file) => existsSync(file));
  expect(limits.map((file) => readFileSync(file, 'utf8').trim())).toEqual(limits.map(() => '8192'));
  expect(existsSync('/sys/fs/cgroup/pids') ? limits.length : 1).toBeGreaterThan(0);
});
