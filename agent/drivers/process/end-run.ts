import { setTimeout as pause } from 'node:timers/promises';
import { signal } from '../../../machine/process-identity.ts';
import { groupsIn } from './instance-files.ts';
import { killAll, lateKeepers, leftovers } from './leftovers.ts';
import { lastRun } from './runs.ts';

/** Asks a run to end, and resolves when nobody of it is left; kills them all when the time is over. */
export async function endRun(directory: string, graceSeconds: number): Promise<void> {
  const begun = performance.now();
  for (let asked: number | undefined; performance.now() - begun < graceSeconds * 1_000; await pause(15)) {
    const run = lastRun(directory);
    if (!run?.running) break;
    // The one that is asked may be a keeper's late child: each is asked once.
    if (run.child !== undefined && asked !== run.child.pid) {
      signal(run.child, 'SIGTERM');
      asked = run.child.pid;
    }
  }
  await killAll(() => lateKeepers(directory));
  const deadline = Date.now() + 20_000;
  for (;;) {
    await killAll(() => leftovers(groupsIn(directory), lastRun(directory)));
    // The run's keeper may still have to record an exit that it has seen, or even to start its child.
    const run = lastRun(directory);
    if (!run?.running) return;
    if (Date.now() > deadline && run.keeper !== undefined) signal(run.keeper, 'SIGKILL');
    await pause(5);
  }
}
