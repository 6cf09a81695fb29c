import type { Process, Workload } from '../../../protocol/workload.ts';
import type { Action, Seen } from '../observe/seen.ts';
import { type ProcessPlan, planProcess } from './plan-process.ts';

/** Two instances of a volume at a time would damage it: the old ones have ended before a new one starts. */
export function planStopFirst(
  key: string,
  process: Process,
  workload: Workload,
  label: string,
  instances: readonly Seen[],
  /** All of the process that the machine has. */
  others: readonly Seen[],
  now: number,
): ProcessPlan {
  const old = instances.filter((seen) => !seen.retired && seen.label !== label);
  const mine = instances.filter((seen) => seen.retired || seen.label === label);
  const planned = planProcess(key, process, workload, label, mine, now);
  if (!isOccupied(others, label)) return planned;
  const begins = new Set(['add', 'create', 'start']);
  return {
    ...planned,
    actions: [
      ...old.map(({ id }): Action => ({ do: 'retire', id })),
      ...planned.actions.filter((action) => !begins.has(action.do)),
    ],
    inEffect: false,
  };
}

/** Whether an instance with another label is there that has not ended. */
export function isOccupied(instances: readonly Seen[], label: string): boolean {
  return instances.some((seen) => seen.label !== label && (!seen.retired || seen.state === 'running' || seen.busy));
}
