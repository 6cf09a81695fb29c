import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { until } from '../test/ground/until.ts';
import { identify, isAlive, processesWorkingIn, signal } from './process-identity.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function sleeper(options: { cwd?: string; detached?: boolean } = {}): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', ...options });
  children.push(child);
  if (child.pid === undefined) throw new Error('sleep cannot be run');
  return child.pid;
}

test('a process is known by its pid and the time it started', async () => {
  const identity = identify(sleeper());
  if (identity === undefined) throw new Error('the process is not there');
  expect(isAlive(identity)).toBe(true);
  expect(signal(identity, 'SIGKILL')).toBe(true);
  await until('it is dead', async () => !isAlive(identity));
  expect(identify(identity.pid)).toBeUndefined();
});

test('a process that got the pid of a dead one is neither taken for it nor signalled', async () => {
  const pid = sleeper();
  const before = { pid, started: 'another boot/1' };
  expect(isAlive(before)).toBe(false);
  expect(signal(before, 'SIGKILL')).toBe(false);
  expect(identify(pid)).toBeDefined();
});

test('the whole group of a process is signalled', async () => {
  const child = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  children.push(child);
  const [printed] = await once(child.stdout, 'data');
  const [leader, member] = [identify(child.pid ?? 0), identify(Number(String(printed)))];
  if (leader === undefined || member === undefined) throw new Error('the processes are not there');
  signal(leader, 'SIGKILL');
  await until('both are dead', async () => !isAlive(leader) && !isAlive(member));
});

test.each([0, -1, 1.5, Number.NaN])('%s is the pid of nobody', (pid) => {
  expect(identify(pid)).toBeUndefined();
});

test.runIf(process.platform === 'linux')('the processes that work in a directory are found', () => {
  const pid = sleeper({ cwd: import.meta.dirname });
  expect(processesWorkingIn(import.meta.dirname).map((found) => found.pid)).toContain(pid);
});
