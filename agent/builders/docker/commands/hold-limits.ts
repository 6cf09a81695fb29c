import { existsSync, type FSWatcher, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitGroup, membersOf } from '../../../drivers/process/launch/control-groups.ts';
import { type Limit, type Limits, type Watch, watchLimits } from '../../sandbox/limits.ts';
import { killCommand } from './end-commands.ts';
import { type Execution, executionsOf, type Runner } from './executions.ts';
import { writtenFolder } from './written-folder.ts';

interface Held {
  runner: Runner;
  marker: string;
  limits: Limits;
  exceeded(limit: Limit, message: string): void;
}

const everyMillis = 100;

/**
 * Limits memory, processes and disk of each command of a build. BuildKit takes no limits, but it runs each command in a control group of its
 * own: they are set there, as soon as it is seen.
 */
export function holdLimits({ runner, marker, limits, exceeded }: Held): { stop(): void } {
  const watches = new Map<string, Watch>();
  const begin = (execution: Execution): void => {
    const [first] = membersOf(execution.groups);
    if (watches.has(execution.id) || first === undefined) return;
    for (const group of execution.groups) hold(group, limits);
    const written = writtenFolder(execution.id, first, runner.pid);
    watches.set(
      execution.id,
      watchLimits({
        ...{ limits, groups: execution.groups, init: first, growing: [] },
        counted: written === undefined ? [] : [written],
        exceeded(limit, message) {
          exceeded(limit, message);
          killCommand(execution);
        },
      }),
    );
  };
  const look = (): void => {
    const now = executionsOf(runner, marker);
    for (const execution of now) begin(execution);
    for (const [id, { stop }] of watches)
      if (!now.some((one) => one.id === id)) {
        stop();
        watches.delete(id);
      }
  };
  const watcher = watcherOf(runner.executions, look);
  const looking = setInterval(look, everyMillis);
  return {
    stop() {
      clearInterval(looking);
      watcher?.close();
      for (const { stop } of watches.values()) stop();
    },
  };
}

function hold(group: string, { memoryBytes, processes }: Limits): void {
  try {
    limitGroup(group, { memoryLimitBytes: memoryBytes, mostProcesses: processes });
    // Version 1: whoever needs more waits until it is seen, since the group is gone, with all that it has counted, when its command ends.
    const file = join(group, 'memory.oom_control');
    if (existsSync(file)) writeFileSync(file, '1');
  } catch {
    // The command has ended meanwhile, or has more than it may: then it is looked at like any other.
  }
}

/** Sooner than the next look. */
function watcherOf(folder: string, look: () => void): FSWatcher | undefined {
  try {
    return watch(folder, look).on('error', () => undefined);
  } catch {
    return undefined;
  }
}
