import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf } from '../../../machine/files.ts';
import { size } from '../build-settings.ts';

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

const pageBytes = 4_096;

interface Task {
  parent: number;
  threads: number;
  pages: number;
}

/**
 * Memory and threads of a process and of all that descend from it. In a pid namespace nobody leaves the tree of its first
 * process. Memory that several of them share counts several times.
 */
function treeOf(first: number): { memoryBytes: number; tasks: number } {
  const children = new Map<number, [number, Task][]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const task = taskOf(pid);
    if (task === undefined) continue;
    const siblings = children.get(task.parent) ?? [];
    siblings.push([pid, task]);
    children.set(task.parent, siblings);
  }
  let [memoryBytes, tasks] = [0, 0];
  for (const waiting = [first]; waiting.length > 0; ) {
    for (const [pid, { threads, pages }] of children.get(waiting.pop() ?? 0) ?? []) {
      memoryBytes += pages * pageBytes;
      tasks += threads;
      waiting.push(pid);
    }
  }
  return { memoryBytes, tasks };
}

function taskOf(pid: number): Task | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1] ?? 0, threads: fields[17] ?? 1, pages: fields[21] ?? 0 };
  } catch {
    return undefined;
  }
}

interface Disk {
  limit: number;
  counted: readonly string[];
  growing: readonly string[];
  full(): void;
}

/** A machine with less than this left is in danger, whoever has filled it. */
const reserveBytes = 256 * 2 ** 20;
/** Counting takes the machine's time: it is done for a twentieth of it at most. */
const rest = 20;
const leastMillis = 2_000;

/**
 * Folders are counted now and then, and at once when the disk has lost so much room that the limit may be reached: what
 * is written and deleted while it is open shows only there.
 */
function diskWatch({ limit, counted, growing, full }: Disk): { look(): Promise<void>; stop(): void } {
  const stopping = new AbortController();
  let began: Promise<number> | undefined = growing.length > 0 ? usedBy(growing, stopping.signal) : Promise.resolve(0);
  let [free, left, due, busy] = [Number.POSITIVE_INFINITY, limit, 0, false];

  async function look(): Promise<void> {
    if (busy || stopping.signal.aborted) return;
    busy = true;
    try {
      const now = Math.min(...(await Promise.all([...counted, ...growing].map(freeBytes))));
      if (now < reserveBytes) return full();
      if (performance.now() < due && free - now < left) return;
      const since = performance.now();
      const before = (await began) ?? 0;
      const used = (await usedBy([...counted, ...growing], stopping.signal)) - before;
      if (stopping.signal.aborted) return;
      if (used > limit) return full();
      free = now;
      // Half of it, since what is freed by others hides what is written here.
      left = (limit - used) / 2;
      due = performance.now() + Math.max(leastMillis, (performance.now() - since) * rest);
    } finally {
      busy = false;
    }
  }

  return {
    look: () => look().catch(() => undefined),
    stop() {
      stopping.abort();
      began = undefined;
    },
  };
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Bytes on the disk, links counted once. Files that vanish meanwhile are none. */
async function usedBy(paths: readonly string[], signal: AbortSignal): Promise<number> {
  return await new Promise((resolve) => {
    execFile('du', ['-s', '-x', '-c', '-B1', '--', ...paths], { signal, env: { PATH: '/usr/bin:/bin' } }, (_, out) => {
      const [total] = /^\d+(?=\ttotal$)/m.exec(out) ?? [];
      resolve(Number(total ?? 0));
    });
  });
}
