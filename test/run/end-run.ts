import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { markedProcesses } from '../../machine/marked-processes.ts';
import { identify, type ProcessIdentity, signal } from '../../machine/process-identity.ts';
import { readHome } from '../../runtime/home/home.ts';
import { endOrphans } from '../../runtime/supervisor/end-processes.ts';
import { endWhatGoesOn, removeHome } from '../ground/remove-home.ts';
import { databasesOf } from './home/databases-in-memory.ts';
import { runPrefix } from './run-directory.ts';

/** Ends all that a run of the tests has left running, and removes its directory. */
async function endRun(directory: string): Promise<void> {
  const isOurs = (path: string) => path === directory || path.startsWith(`${directory}/`);
  // First who starts others: tests that go on without their runner, supervisors, agents.
  await endAll(() => markedProcesses('TMPDIR').filter(({ value }) => isOurs(value)));
  for (const home of homesIn(directory)) await endHome(home).catch(() => {});
  await endAll(() => processesAt(directory));
  for (const one of [directory, databasesOf(directory)]) rmSync(one, { recursive: true, force: true });
}

const longest = 60_000;

/** Until none is found: one that ends may just have started another. */
async function endAll(find: () => ProcessIdentity[]): Promise<void> {
  const deadline = performance.now() + longest;
  for (let found = find(); found.length > 0 && performance.now() < deadline; found = find()) {
    for (const one of found) signal(one, 'SIGKILL');
    await pause(20);
  }
}

function homesIn(directory: string): string[] {
  return readdirSync(directory)
    .map((name) => join(directory, name, 'home'))
    .filter((home) => existsSync(join(home, 'home.json')));
}

/** PostgreSQL and workloads, whose files lie elsewhere when the tests run as root. */
async function endHome(home: string): Promise<void> {
  await endOrphans(readHome(home), () => {});
  await endWhatGoesOn(home);
  removeHome(home);
}

/** By what they were started with, or where they work. */
function processesAt(directory: string): ProcessIdentity[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 1e8 }).split('\n');
  return lines.flatMap((line) => {
    const [, digits = '', words = ''] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
    const pid = Number(digits);
    const isThere = words.includes(`${directory}/`) || `${workingDirectory(pid)}/`.startsWith(`${directory}/`);
    return isThere && pid !== process.pid ? (identify(pid) ?? []) : [];
  });
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

if (import.meta.main) {
  for await (const _ of process.stdin);
  const [, , directory = ''] = process.argv;
  if (basename(directory).startsWith(runPrefix)) await endRun(directory);
}
