import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeFileAtomically } from '../../../../machine/files.ts';
import type { LogCursor } from '../../../../protocol/logs.ts';
import { groupsIn } from '../instance-files.ts';
import { killAll, lateKeepers, leftovers } from '../leftovers.ts';
import { noteRun } from '../logs/run-history.ts';
import { lastRun, runNumbers } from '../runs.ts';

export const keeperScript = fileURLToPath(new URL('./keeper.sh', import.meta.url));
export const enterScript = fileURLToPath(new URL('./enter.sh', import.meta.url));
/** The environment of the machine's own programs: nothing of the agent's. */
export const bareEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
const keptRuns = 2;

export interface Beginning {
  directory: string;
  /** Made when nobody of the run before is left. */
  groups(): string[];
  script: string;
  /** How far the log was written by the runs before. */
  ends(): LogCursor;
  /** The command prefix that switches to the instance's user. */
  become: readonly string[];
}

/**
 * Begins the next run, once nobody of the one before is left. Killed anywhere in between, the next agent finds either no
 * run, and begins it, or the run: the keeper that makes its directory has it.
 */
export async function beginRun(beginning: Beginning): Promise<void> {
  const { directory } = beginning;
  const before = lastRun(directory);
  if (before?.running) return;
  await killAll(() => lateKeepers(directory));
  await killAll(() => leftovers(groupsIn(directory), before));
  const groups = beginning.groups();
  writeFileAtomically(join(directory, 'groups'), groups.join('\n'));
  writeFileAtomically(join(directory, 'launch'), beginning.script);
  const number = (before?.number ?? 0) + 1;
  noteRun(directory, number, before, beginning.ends());
  const args = [keeperScript, directory, String(number), ...groups, '--', ...beginning.become];
  const keeper = spawn('/bin/sh', args, { detached: true, stdio: 'ignore', env: bareEnvironment });
  let failed: Error | undefined;
  let over = false;
  keeper.once('error', (error) => {
    failed = error;
  });
  keeper.once('exit', () => {
    over = true;
  });
  keeper.unref();
  const child = join(directory, 'runs', String(number), 'child');
  for (const deadline = Date.now() + 20_000; !existsSync(child); await pause(4)) {
    if (failed) throw new Error(`The keeper of ${directory} cannot be started: ${failed.message}`);
    // Ours may have found that a keeper of the agent before was faster: then this is that one's run.
    if (over && lastRun(directory)?.number !== number)
      throw new Error(`The keeper of ${directory} ended before it started anything.`);
    if (Date.now() > deadline) throw new Error(`The keeper of ${directory} has not started anything within 20 s.`);
  }
  for (const old of runNumbers(directory).slice(0, -keptRuns))
    rmSync(join(directory, 'runs', String(old)), { recursive: true, force: true });
}
