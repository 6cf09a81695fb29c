import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { membersOf, removeGroups } from '../../../drivers/process/launch/control-groups.ts';
import { type Execution, executionsOf, type Runner } from './executions.ts';

const patienceMillis = 5_000;
const everyMillis = 50;

/** Kills a command with all that it has started: nobody leaves a control group. */
export function killCommand({ groups }: Execution): void {
  for (const group of groups) {
    // Nobody is born while the others die.
    for (const [file, value] of [
      ['pids.max', '0'],
      ['cgroup.kill', '1'],
    ] as const)
      if (existsSync(join(group, file))) set(join(group, file), value);
  }
  for (const pid of membersOf(groups))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
}

/** Sees to it that no command with this marker runs on. BuildKit ends those of a build that nobody waits for. */
export async function endCommands(runner: Runner, marker: string): Promise<void> {
  const left = () => executionsOf(runner, marker).filter(({ groups }) => membersOf(groups).length > 0);
  for (const until = performance.now() + patienceMillis; left().length > 0; await pause(everyMillis))
    if (performance.now() >= until) for (const execution of left()) killCommand(execution);
  for (const { groups } of executionsOf(runner, marker)) removeGroups(groups);
}

function set(path: string, value: string): void {
  try {
    writeFileSync(path, value);
  } catch {
    // The group is gone, or its last process is about to end.
  }
}
