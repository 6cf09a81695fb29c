import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { until } from '../../test/ground/until.ts';
import { lock, tryLock } from './lock.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder();
});

/** A process that takes the lock and then does nothing. */
async function holder(path: string) {
  const program = `
    const { tryLock } = await import(${JSON.stringify(new URL('lock.ts', import.meta.url).href)});
    globalThis.held = tryLock(${JSON.stringify(path)});
    process.stdout.write(held ? 'held' : 'refused');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('held');
  return child;
}

test('a lock has one holder, and is free after its release', () => {
  const path = join(directory, 'lock');
  const first = tryLock(path);
  expect(first).toBeDefined();
  expect(tryLock(path)).toBeUndefined();
  first?.release();
  const second = tryLock(path);
  expect(second).toBeDefined();
  second?.release();
});

test('a lock whose holder is killed is free, without anybody judging whether it is stale', async () => {
  const path = join(directory, 'lock');
  const child = await holder(path);
  expect(tryLock(path)).toBeUndefined();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const taken = tryLock(path);
  expect(taken).toBeDefined();
  taken?.release();
});

test('who waits for a lock is told once and gets it', async () => {
  const path = join(directory, 'lock');
  const child = await holder(path);
  const onWait = vi.fn();
  const waiting = lock(path, onWait);
  await until('it is told', async () => onWait.mock.calls.length > 0);
  child.kill('SIGKILL');
  (await waiting).release();
  expect(onWait).toHaveBeenCalledOnce();
});
