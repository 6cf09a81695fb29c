import { expect, test } from 'vitest';
import { gather } from './gather.ts';

/** A task that answers a key with its length, when it is let go. */
function held() {
  const tasks: (readonly string[])[] = [];
  const letGo: (() => void)[] = [];
  const task = async (keys: readonly string[]) => {
    tasks.push(keys);
    await new Promise<void>((resolve) => letGo.push(resolve));
    return new Map(keys.map((key) => [key, key.length]));
  };
  const next = async () => {
    // So far the calls before have become tasks.
    await new Promise(setImmediate);
    letGo.shift()?.();
  };
  return { tasks, task, next };
}

test('calls that come while the tasks are busy are done together, no more than the most at once', async () => {
  const { tasks, task, next } = held();
  const call = gather({ width: 1, most: 3, task });
  const first = call('a');
  await new Promise(setImmediate);
  const others = ['bb', 'ccc', 'd', 'e'].map(call);
  for (let times = 0; times < 3; times += 1) await next();
  expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 1, 1]);
  expect(tasks).toEqual([['a'], ['bb', 'ccc', 'd'], ['e']]);
});

test('calls of one moment are one task; so many tasks run at once as there is width', async () => {
  const { tasks, task, next } = held();
  const call = gather({ width: 2, most: 2, task });
  const calls = ['a', 'b', 'c', 'd', 'e'].map(call);
  await new Promise(setImmediate);
  expect(tasks).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  for (let times = 0; times < 3; times += 1) await next();
  await Promise.all(calls);
  expect(tasks.at(-1)).toEqual(['e']);
});

test('a call for a key that waits gets its answer; one for a key under way is a call of its own', async () => {
  const { tasks, task, next } = held();
  const call = gather({ width: 1, most: 9, task });
  const underWay = call('a');
  await new Promise(setImmediate);
  const again = [call('a'), call('a')];
  for (let times = 0; times < 2; times += 1) await next();
  await Promise.all([underWay, ...again]);
  expect(tasks).toEqual([['a'], ['a']]);
});

test('a task that fails, or forgets a key, rejects its calls and none of the next', async () => {
  let times = 0;
  const call = gather<string, number>({
    width: 1,
    most: 1,
    async task([key = '']) {
      times += 1;
      if (times === 1) throw new Error('gone');
      return new Map(times === 2 ? [] : [[key, 1]]);
    },
  });
  const calls = ['a', 'b', 'c'].map(call);
  expect(await Promise.allSettled(calls)).toMatchObject([
    { reason: { message: 'gone' } },
    { reason: { message: 'Nothing was answered for b.' } },
    { value: 1 },
  ]);
});
