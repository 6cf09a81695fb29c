import type { Process, Workload } from '../../../protocol/workload.ts';
import { faultsOf } from '../faults.ts';
import type { Action, DesiredSlice, Seen } from '../observe/seen.ts';
import { type Addresses, addressesOf, noAddresses } from './addresses.ts';
import { processKey, scheduleKey } from './keys.ts';
import { labelOf } from './label.ts';
import type { Machine, SlicePlan } from './machine.ts';
import { planCron } from './plan-cron.ts';
import { endings, type ProcessPlan, planProcess } from './plan-process.ts';

export interface PlannedSlice {
  actions: Action[];
  addresses: Addresses;
  slice: SlicePlan;
}

/** `stopFirst`: a process with a volume ends its old instances before new ones start. */
export function planSlice(
  machine: Machine,
  { key, workload, broken }: Omit<DesiredSlice, 'revision'>,
  instances: readonly Seen[],
  owners: ReadonlyMap<string, string>,
  stopFirst = false,
): PlannedSlice {
  // Without a known desired state nothing is removed either.
  const processes: SlicePlan['processes'] = new Map();
  if (workload === undefined) {
    return { actions: [], addresses: noAddresses, slice: { inEffect: false, processes, ...errorOf([broken]) } };
  }
  const faults = faultsOf(workload, machine.ingress);
  const { errors: hostErrors, ...addresses } = addressesOf(workload, key, owners, faults, instances, machine.now);
  if (faults.whole !== undefined) {
    return { actions: [], addresses, slice: { inEffect: false, processes, error: faults.whole } };
  }
  const names = new Set(workload.processes.map(({ name }) => name));
  const actions = goAway(
    instances.filter(({ process }) => !names.has(process.name)),
    machine.now,
  );
  const errors: (string | undefined)[] = [broken, ...hostErrors];
  let inEffect = broken === undefined && hostErrors.length === 0 && actions.every((action) => action.do !== 'retire');
  for (const process of workload.processes) {
    const fault = faults.processes.get(process.name);
    errors.push(fault);
    if (fault !== undefined) {
      inEffect = false;
      processes.set(process.name, { inEffect: false, error: fault });
      continue;
    }
    const planned = planOne(machine, key, process, workload, instances, stopFirst);
    processes.set(process.name, planned);
    actions.push(...planned.actions);
    errors.push(planned.error);
    inEffect &&= planned.inEffect;
  }
  return { actions, addresses, slice: { inEffect, processes, ...errorOf(errors) } };
}

function planOne(
  machine: Machine,
  key: string,
  process: Process,
  workload: Workload,
  all: readonly Seen[],
  stopFirst: boolean,
) {
  const { now, restarts } = machine;
  const instances = all.filter((seen) => seen.process.name === process.name);
  const name = processKey(key, process.name);
  const label = labelOf(workload, process, restarts.get(name));
  if (process.kind !== 'cron') {
    if (!stopFirst || process.mounts.length === 0) return planProcess(key, process, workload, label, instances, now);
    const others = machine.seen.filter((seen) => seen.key === key && seen.process.name === process.name);
    return planStopFirst(key, process, workload, label, instances, others, now);
  }
  const services = instances.filter((seen) => seen.process.kind !== 'cron');
  const planned = planCron(
    key,
    process,
    workload,
    label,
    instances.filter((seen) => seen.process.kind === 'cron'),
    machine.schedules.get(scheduleKey(key, process)) ?? { from: now },
    now,
  );
  return { ...planned, actions: [...planned.actions, ...goAway(services, now)] };
}

/** Instances that nothing asks for any more: nothing of them is kept. */
export function goAway(instances: readonly Seen[], now: number): Action[] {
  const retire = instances.filter(({ retired }) => !retired).map(({ id }): Action => ({ do: 'retire', id }));
  return [...retire, ...endings(instances, 0, now)];
}

function errorOf(errors: readonly (string | undefined)[]): { error?: string } {
  const said = [...new Set(errors.filter((error) => error !== undefined))];
  return said.length === 0 ? {} : { error: said.join(' ').slice(0, 2000) };
}

/** Two instances of a volume at a time would damage it: the old ones have ended before a new one starts. */
function planStopFirst(
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
