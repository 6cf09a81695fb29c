import type { Process } from '../../../protocol/workload.ts';
import type { Wanted } from '../observe/seen.ts';
import { processKey } from './keys.ts';
import { labelOf } from './label.ts';

/** Checks, and how long things may take, hold for what runs already as soon as they change. Later slices count more. */
export function currentProcesses(
  slices: readonly Wanted[],
  restarts: ReadonlyMap<string, string>,
): (key: string, label: string, process: Process) => Process {
  const current = new Map<string, Process>();
  for (const { key, workload } of slices) {
    for (const process of workload?.processes ?? []) {
      if (workload === undefined) continue;
      const name = processKey(key, process.name);
      current.set(`${name} ${labelOf(workload, process, restarts.get(name))}`, process);
    }
  }
  return (key, label, process) => current.get(`${processKey(key, process.name)} ${label}`) ?? process;
}

/** By workload and process: the first host name that leads there. */
export function hostsOf(slices: readonly Wanted[]): (key: string, process: string) => string | undefined {
  const hosts = new Map<string, string>();
  for (const { key, workload } of slices) {
    for (const { host, process } of workload?.routes ?? []) {
      if (!hosts.has(processKey(key, process))) hosts.set(processKey(key, process), host);
    }
  }
  return (key, process) => hosts.get(processKey(key, process));
}
