import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MarkedProcess, markedProcesses } from '../../machine/marked-processes.ts';
import { isAlive, signal } from '../../machine/process-identity.ts';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { until } from '../../test/ground/until.ts';
import { type Home, openHome } from '../home/home.ts';
import { endOrphans } from './end-processes.ts';
import type { PartEvent } from './kept-part.ts';
import { logPath, type Part } from './part.ts';
import { markOf, partMark, RunningProcesses, readRunRecord } from './run-record.ts';
import { startPart } from './start-part.ts';
import { Supervisor } from './supervisor.ts';

let directory: string;
let home: Home;
let events: PartEvent[];
let supervisor: Supervisor;

beforeEach(() => {
  directory = temporaryFolder();
  home = openHome(join(directory, 'home'));
  events = [];
  supervisor = new Supervisor(home, 'http://127.0.0.1:1', (event) => events.push(event));
});
afterEach(() => supervisor.stop());

/** A worker that tells that it is ready, unless it says something else, and then works for ever. */
function part(script = 'echo ready >&3; exec sleep 1000'): Part {
  return {
    name: 'worker',
    title: 'Worker',
    prepare: async () => {},
    command: () => ({ file: '/bin/sh', args: ['-c', script], env: { PATH: process.env.PATH }, cwd: home.path }),
    ready: 'told',
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

const living = (): MarkedProcess[] =>
  markedProcesses(partMark).filter((one) => one.value === markOf(home, 'worker') && isAlive(one));
const died = () => events.flatMap((event) => (event.kind === 'died' ? [event.reason] : []));
const readies = () => events.filter(({ kind }) => kind === 'ready').length;

async function spoilRunDirectory(): Promise<() => void> {
  const run = join(home.path, 'run');
  renameSync(run, `${run}.away`);
  writeFileSync(run, '');
  return () => {
    rmSync(run);
    renameSync(`${run}.away`, run);
  };
}

test('it is ready when it says so on its own pipe, and back at once after kill -9', async () => {
  await supervisor.start(part());
  const [first] = living();
  expect(readRunRecord(home)?.parts.worker?.pid).toBe(first?.pid);
  if (first) signal(first, 'SIGKILL');
  await until('it is back', async () => readies() === 2);
  expect(events.find(({ kind }) => kind === 'died')).toMatchObject({ reason: 'it was ended by SIGKILL', delay: 0 });
  expect(living()).toHaveLength(1);
});

test('one that says nothing is not ready, however long it runs', async () => {
  let ready = false;
  supervisor.start(part('exec sleep 1000')).then(
    () => {
      ready = true;
    },
    () => {},
  );
  await until('it runs', async () => living().length === 1);
  await supervisor.stop();
  expect(ready).toBe(false);
});

test('while nothing can be written down, no process is left that nobody knows, and later it goes on', async () => {
  await supervisor.start(part());
  const mend = await spoilRunDirectory();
  const [before] = living();
  if (before) signal(before, 'SIGKILL');
  await until('it was tried some times', async () => died().length >= 4);
  expect(died().slice(1)).toContainEqual(
    expect.stringMatching(/^it was ended, because it cannot be recorded in .*processes\.json \(ENOTDIR\)$/),
  );
  // Each of them was ended before the next one was started.
  expect(living().length).toBeLessThanOrEqual(1);
  mend();
  await until('it is ready again', async () => readies() >= 2);
  expect(living()).toHaveLength(1);
  expect(readRunRecord(home)?.parts.worker?.pid).toBe(living()[0]?.pid);
});

test('what nobody has written down is found and ended all the same', async () => {
  const { ended } = startPart(part(), logPath(home, 'worker'), new RunningProcesses(home, 'http://127.0.0.1:1'));
  rmSync(join(home.path, 'run', 'processes.json'));
  expect(living()).toHaveLength(1);
  const told: string[] = [];
  await endOrphans(home, (name) => told.push(name));
  expect(told).toEqual(['worker']);
  expect(await ended).toBe('it was ended by SIGTERM');
});

test('a stop before it is ready ends it', async () => {
  const started = supervisor.start(part('trap "" TERM; exec sleep 1000'));
  started.catch(() => {});
  await until('it runs', async () => living().length === 1);
  supervisor.hurry();
  await expect(started).rejects.toThrow('Worker was stopped before it was ready.');
  expect(living()).toEqual([]);
});
