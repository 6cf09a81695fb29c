import { expect, test } from 'vitest';
import { Subscription } from './subscription.ts';

const hint = (id: number) => ({ organizationId: 'o', kind: 'team', id: String(id) });

test('hints come in the order they were pushed in, whether someone waits or not', async () => {
  const subscription = new Subscription();
  const waiting = subscription.next();
  for (let id = 0; id < 5000; id += 1) subscription.push(hint(id));
  expect(await waiting).toEqual(hint(0));
  for (let id = 1; id < 5000; id += 1) expect(await subscription.next()).toEqual(hint(id));
});

test('a queue that overflows is dropped and said to be lost once', async () => {
  const subscription = new Subscription();
  for (let id = 0; id < 100_000; id += 1) subscription.push(hint(id));
  subscription.lost();
  expect(await subscription.next()).toBe('lost');
  subscription.push(hint(7));
  expect(await subscription.next()).toEqual(hint(7));
});

test('hints that were lost elsewhere leave those that wait', async () => {
  const subscription = new Subscription();
  subscription.push(hint(1));
  subscription.lost();
  subscription.push(hint(2));
  expect([await subscription.next(), await subscription.next(), await subscription.next()]).toEqual([
    'lost',
    hint(1),
    hint(2),
  ]);
});

test('the end wakes whoever waits, and nothing comes after it', async () => {
  const subscription = new Subscription();
  const waiting = subscription.next();
  subscription.end();
  subscription.push(hint(1));
  expect(await waiting).toBeUndefined();
  expect(await subscription.next()).toBeUndefined();
});
