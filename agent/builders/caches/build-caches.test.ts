import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { BuildCaches, linkedFolders } from '../caches.ts';

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});
const { signal } = new AbortController();

test('what was used least recently goes beyond the bound, and what is held stays', async () => {
  const caches = new BuildCaches(home, 3_000_000);
  for (const key of ['a', 'b', 'c']) {
    const held = await caches.hold(key, signal);
    const { directory, warm } = held.open('npm');
    expect(warm).toBe(false);
    writeFileSync(join(directory, 'fetched'), Buffer.alloc(1_200_000, key));
    await held.release();
  }
  expect(readdirSync(join(home, 'build-caches')).sort()).toEqual(['b', 'c']);
  const held = await caches.hold('c', signal);
  expect(held.open('npm').warm).toBe(true);
  await held.release();
});

test('one build has the caches of a key at a time; one that is cancelled does not wait on', async () => {
  const caches = new BuildCaches(home, 1_000_000);
  const first = await caches.hold('a', signal);
  const stopping = new AbortController();
  const cancelled = caches.hold('a', stopping.signal);
  stopping.abort();
  await expect(cancelled).rejects.toThrow();
  const order: string[] = [];
  const second = caches.hold('a', signal).then((held) => {
    order.push('second');
    return held;
  });
  order.push('first');
  await first.release();
  await (await second).release();
  expect(order).toEqual(['first', 'second']);
});

test('a name leads nowhere else', async () => {
  const caches = new BuildCaches(home, 1_000_000);
  const held = await caches.hold('../../outside', signal);
  const { directory } = held.open('../../../etc');
  expect(directory.startsWith(join(home, 'build-caches'))).toBe(true);
  expect(existsSync(join(home, '..', 'outside'))).toBe(false);
  await held.release();
});

test('folders in which a framework keeps its cache are those that the plan drops', () => {
  const plan = { drop: ['.git', 'apps/web/.next/cache'] };
  expect([...linkedFolders({ caches: ['next'] }, plan)]).toEqual([
    ['apps/web/.next/cache', '/cache/next/apps_web_.next_cache'],
  ]);
  expect(linkedFolders({ caches: ['npm'] }, plan).size).toBe(0);
});
