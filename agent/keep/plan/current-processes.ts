import type { Process } from '../../../protocol/workload.ts';
import type { Wanted } from '../observe/seen.ts';
import { labelOf } from './label.ts';
import { processKey } from './plan.ts';

/** Checks, and how long things may take, hold for what runs already as soon as they change. */
export function currentProcesses(
  slices: ReadonlyMap<string, Wanted>,
  restarts: ReadonlyMap<string, string>,
): (key: string, label: string, process: Process) => Process {
  const current = new Map<string, Process>();
  for (const { key, workload } of slices.values()) {
    for (const process of workload?.processes ?? []) {
      if (workload === undefined) continue;
      const name = processKey(key, process.name);
      current.set(`${name} ${labelOf(workload, process, restarts.get(name))}`, process);
    }
  }
  return (key, label, process) => current.get(`${processKey(key, process.name)} ${label}`) ?? process;
}
