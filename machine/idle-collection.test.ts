import { beforeEach, expect, test } from 'vitest';
import { IdleCollection, type Use } from './idle-collection.ts';

const megabyte = 1024 * 1024;
let now: Use;
let collected: number;
let collection: IdleCollection;

beforeEach(() => {
  now = { cpu: 0, at: 0, memory: 200 * megabyte };
  collected = 0;
  collection = new IdleCollection(
    async () => {
      collected += 1;
      now.memory = 120 * megabyte;
    },
    () => ({ ...now }),
  );
});

/** So many times ten seconds, in which the process used so much of a core. */
async function pass(times: number, share: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    now.at += 10_000;
    now.cpu += 10_000 * share;
    await collection.look();
  }
}

test('a minute of rest is followed by one collection, and by no other while nothing has grown', async () => {
  await pass(5, 0.01);
  expect(collected).toBe(0);
  await pass(1, 0.01);
  expect(collected).toBe(1);
  await pass(100, 0.01);
  expect(collected).toBe(1);
});

test('work, and rest after it, give back what the work has left', async () => {
  await pass(6, 0);
  now.memory = 260 * megabyte;
  await pass(30, 0.5);
  expect(collected).toBe(1);
  await pass(6, 0);
  expect(collected).toBe(2);
});

test('a process that works every now and then is never interrupted', async () => {
  for (let n = 0; n < 20; n += 1) {
    await pass(5, 0);
    await pass(1, 0.05);
  }
  expect(collected).toBe(0);
});

test('what cannot be given back is not asked for again', async () => {
  const use = { cpu: 0, at: 0, memory: 200 * megabyte };
  const held = new IdleCollection(
    async () => {
      collected += 1;
    },
    () => ({ ...use }),
  );
  for (let n = 0; n < 60; n += 1) {
    use.at += 10_000;
    await held.look();
  }
  expect(collected).toBe(1);
});

test('looks during a collection change nothing, and one that fails is tried again after another minute', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const failing = new IdleCollection(
    () => {
      collected += 1;
      return collected === 1 ? promise : Promise.resolve();
    },
    () => ({ ...now }),
  );
  const looks = Array.from({ length: 20 }, () => failing.look());
  expect(collected).toBe(1);
  reject(new Error('no'));
  expect((await Promise.allSettled(looks)).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  now.memory += 10 * megabyte;
  for (let n = 0; n < 6; n += 1) await failing.look();
  expect(collected).toBe(2);
});
