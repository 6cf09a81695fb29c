import { join } from 'node:path';
import { size } from '../build-settings.ts';
import { contentOf } from './content.ts';
import { diskWatch } from './disk-watch.ts';
import { treeOf } from './process-tree.ts';

export type Limit = 'memory' | 'disk' | 'processes' | 'seconds';

export interface Limits {
  seconds: number;
  memoryBytes: number;
  diskBytes: number;
  processes: number;
  /** Thousandths of a core; missing: all of them. Held by control groups alone. */
  cpuMilli?: number | undefined;
}

export interface Watched {
  limits: Limits;
  /** Control groups, which hold memory and processes by themselves; without any, the tree of processes is looked at. */
  groups: readonly string[];
  /** The first process of the sandbox. */
  init: number;
  /** Folders whose whole content counts, and those of which it counts how much they grow. */
  counted: readonly string[];
  growing: readonly string[];
  exceeded(limit: Limit, message: string): void;
}

export interface Watch {
  /** Looks a last time at what the kernel has counted. */
  lastLook(): void;
  stop(): void;
}

const everyMillis = 200;

export function watchLimits({ limits, groups, init, counted, growing, exceeded }: Watched): Watch {
  let over = false;
  const end = (limit: Limit): void => {
    if (over) return;
    over = true;
    exceeded(limit, exceeding[limit](limits));
  };
  const disk = diskWatch({ limit: limits.diskBytes, counted, growing, full: () => end('disk') });
  const late = setTimeout(() => end('seconds'), limits.seconds * 1_000);
  const look = (): void => {
    if (groups.length > 0) {
      const without = (name: string) => counter(groups, ['memory.events', 'memory.oom_control'], name) > 0;
      if (without('oom_kill') || without('under_oom')) end('memory');
      else if (counter(groups, ['pids.events'], 'max') > 0) end('processes');
      return;
    }
    const { memoryBytes, tasks } = treeOf(init);
    if (memoryBytes > limits.memoryBytes) end('memory');
    else if (tasks >= limits.processes) end('processes');
  };
  const looking = setInterval(() => {
    look();
    void disk.look();
  }, everyMillis);
  return {
    lastLook: () => (groups.length > 0 ? look() : undefined),
    stop() {
      clearTimeout(late);
      clearInterval(looking);
      disk.stop();
    },
  };
}

/** The sentence for a build that exceeded a limit. */
export const exceeding: Record<Limit, (limits: Limits) => string> = {
  seconds: ({ seconds }) =>
    `The command was ended after ${seconds} s, the longest that a build may take; ${raised('seconds', 'minutes')}.`,
  memory: ({ memoryBytes }) =>
    `The build used more than ${size(memoryBytes)} of memory, its limit; let it do less at a time, or ${raised('memoryBytes', 'memory-mib')}.`,
  disk: ({ diskBytes }) =>
    `The build wrote more than ${size(diskBytes)} to disk, its limit; let it write less, or ${raised('diskBytes', 'disk-gib')}.`,
  processes: ({ processes }) =>
    `The build started more than ${processes} processes and threads at a time, its limit; let it do less at a time.`,
};

/** By whom a limit of builds is set. */
export function raised(field: string, option: string): string {
  return `raise buildLimits.${field} of the service's source, which --build-${option} of the cluster's agent bounds`;
}

/** How often the kernel has counted something in one of the groups. */
function counter(groups: readonly string[], files: readonly string[], name: string): number {
  for (const path of groups.flatMap((group) => files.map((file) => join(group, file)))) {
    const [, count] = contentOf(path).match(new RegExp(`^${name} (\\d+)$`, 'm')) ?? [];
    if (count !== undefined) return Number(count);
  }
  return 0;
}
