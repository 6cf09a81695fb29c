import { existsSync, type FSWatcher, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf } from '../../../../machine/files.ts';
import { limitGroup, membersOf } from '../../../drivers/process/launch/control-groups.ts';
import { type Limit, type Limits, type Watch, watchLimits } from '../../sandbox/limits.ts';
import { seen } from '../builder/container.ts';
import { killCommand } from './end-commands.ts';
import { type Execution, executionsOf, type Runner } from './executions.ts';

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

/**
 * Where a command keeps what it writes: the upper folder of its root, which lies within the builder. Undefined for engines that store
 * layers without one.
 */
function writtenFolder(id: string, pid: number, builder: number): string | undefined {
  const upper = upperFolder(id, contentOf(`/proc/${pid}/mountinfo`));
  return upper === undefined ? undefined : join(seen.root(builder), upper);
}

/** Before `runc` has entered its root, that is one mount of many; afterwards it is the root itself. */
export function upperFolder(id: string, mountinfo: string): string | undefined {
  const mounts = mountinfo.split('\n').map((line) => line.split(' '));
  const found =
    mounts.find(([, , , , at]) => at?.endsWith(`/${id}/rootfs`)) ?? mounts.find(([, , , , at]) => at === '/');
  const options = found?.at(-1)?.split(',') ?? [];
  const upper = options.find((option) => option.startsWith('upperdir='))?.slice('upperdir='.length);
  // Signs that a line of mounts has no room for are written as octal numbers.
  return upper?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
