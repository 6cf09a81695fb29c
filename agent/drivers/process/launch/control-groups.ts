import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentOf } from '../../../../machine/files.ts';
import type { Process } from '../../../../protocol/workload.ts';

type Controller = 'memory' | 'cpu' | 'pids';
const controllers: readonly Controller[] = ['memory', 'cpu', 'pids'];
type GroupLimits = Pick<Process, 'memoryLimitBytes' | 'cpuLimitMilli'> & { mostProcesses?: number };
interface Holds {
  holds: boolean;
  why?: string;
}

/**
 * Control groups of version 1 or 2, as they are mounted here: one group for each instance in every hierarchy, beneath
 * one of the home's own. They hold limits, and they know every process of an instance, also those that made themselves
 * independent.
 */
export class ControlGroups {
  readonly #bases = new Map<Controller, { base: string; version: 1 | 2 }>();
  readonly #missing = new Map<Controller, string>();

  constructor(homeId: string) {
    for (const controller of controllers) {
      const found = find(controller);
      if (found === undefined) {
        this.#missing.set(controller, `No control groups for ${controller} are mounted on this machine.`);
        continue;
      }
      const base = join(found.parent, `ballast-${homeId}`);
      try {
        makeBase(base, controller, found.version);
        this.#bases.set(controller, { base, version: found.version });
      } catch (error) {
        const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        this.#missing.set(controller, `The control group ${base} cannot be used for ${controller} (${why}).`);
      }
    }
    // Made to see whether it can be; needed only with the first instance.
    this.close();
  }

  holds(controller: Controller): Holds {
    const why = this.#missing.get(controller);
    return why === undefined ? { holds: true } : { holds: false, why };
  }

  /** The groups of this name, whether they are there or not. */
  named(id: string): string[] {
    return [...new Set([...this.#bases.values()].map(({ base }) => join(base, id)))];
  }

  /** New groups for an instance; those of its run before are gone, and with them what they counted. */
  make(id: string, limits: GroupLimits): string[] {
    const made = new Set<string>();
    for (const [controller, { base, version }] of this.#bases) {
      makeBase(base, controller, version);
      made.add(join(base, id));
    }
    for (const group of made) {
      removeGroups([group]);
      mkdirSync(group, { recursive: true });
      limitGroup(group, limits);
    }
    return [...made];
  }

  /** After the last instance: the home's own groups. They are made again when there is a next one. */
  close(): void {
    removeGroups([...this.#bases.values()].map(({ base }) => base));
  }
}

function makeBase(base: string, controller: Controller, version: 1 | 2): void {
  mkdirSync(base, { recursive: true });
  if (version === 1) return;
  for (const group of [dirname(base), base]) writeFileSync(join(group, 'cgroup.subtree_control'), `+${controller}`);
}

/** Processes and threads of an instance: far more than anything real has, and no fork bomb takes the machine along. */
const mostOfAll = 8_192;

export function limitGroup(
  group: string,
  { memoryLimitBytes, cpuLimitMilli, mostProcesses = mostOfAll }: GroupLimits,
): void {
  const set = (file: string, value: string) => {
    if (existsSync(join(group, file))) writeFileSync(join(group, file), value);
  };
  set('pids.max', String(mostProcesses));
  if (memoryLimitBytes !== undefined) {
    set('memory.limit_in_bytes', String(memoryLimitBytes));
    set('memory.memsw.limit_in_bytes', String(memoryLimitBytes));
    set('memory.max', String(memoryLimitBytes));
    set('memory.swap.max', '0');
  }
  if (cpuLimitMilli !== undefined) {
    set('cpu.max', `${cpuLimitMilli * 100} 100000`);
    set('cpu.cfs_period_us', '100000');
    set('cpu.cfs_quota_us', String(cpuLimitMilli * 100));
  }
}

/** Everybody in the groups; a group that is gone has nobody. */
export function membersOf(groups: readonly string[]): number[] {
  const members = groups.flatMap((group) => contentOf(join(group, 'cgroup.procs')).split('\n'));
  return [...new Set(members.filter((line) => line !== '').map(Number))];
}

/** Memory of the processes, without the page cache that the kernel can drop. */
export function memoryOf(groups: readonly string[]): number | undefined {
  for (const group of groups) {
    const used = contentOf(join(group, 'memory.current')) || contentOf(join(group, 'memory.usage_in_bytes'));
    if (used === '') continue;
    const inactive = /^(?:total_)?inactive_file (\d+)$/gm;
    const files = [...contentOf(join(group, 'memory.stat')).matchAll(inactive)].at(-1)?.[1] ?? 0;
    return Math.max(0, Number(used) - Number(files));
  }
  return undefined;
}

export function removeGroups(groups: readonly string[]): void {
  for (const group of groups) {
    try {
      rmdirSync(group);
    } catch {
      // Not there, or somebody is in it: then whoever comes after it says so.
    }
  }
}

/**
 * Version 1: beneath the group that the agent itself is in, so that a limit set for all of it goes on to hold. Version
 * 2: at the top, because a group with processes of its own cannot have limited groups beneath it.
 */
function find(controller: Controller): { parent: string; version: 1 | 2 } | undefined {
  const found = mountOf(controller);
  if (found === undefined) return undefined;
  const { mount, version } = found;
  if (version === 2) return { parent: mount, version };
  const own = contentOf('/proc/self/cgroup')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, names]) => names?.split(',').includes(controller))?.[2];
  // A container may be told a path that it cannot see.
  const beneath = join(mount, own ?? '/');
  return { parent: existsSync(beneath) ? beneath : mount, version };
}

/** Where the groups of a controller are mounted on this machine. */
export function mountOf(controller: Controller): { mount: string; version: 1 | 2 } | undefined {
  const mounts = contentOf('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '));
  const first = mounts.find(
    ([, , type, options]) => type === 'cgroup' && options?.split(',').includes(controller),
  )?.[1];
  if (first !== undefined) return { mount: first, version: 1 };
  const second = mounts.find(([, , type]) => type === 'cgroup2')?.[1];
  if (second === undefined) return undefined;
  const offered = contentOf(join(second, 'cgroup.controllers')).trim().split(' ');
  if (!offered.includes(controller)) return undefined;
  return { mount: second, version: 2 };
}
