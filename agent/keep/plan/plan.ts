import type { Process } from '../../../protocol/workload.ts';
import type { EnvironmentName } from '../../drivers/driver.ts';
import type { PortRoute, Route } from '../../ingress/route.ts';
import { hostOwners } from '../faults.ts';
import type { Action, DesiredSlice, Seen } from '../observe/seen.ts';
import type { Visit } from '../observe/visits.ts';
import { processKey } from './keys.ts';
import { labelOf } from './label.ts';
import type { Machine, SlicePlan } from './machine.ts';
import { planRollout } from './plan-rollout.ts';
import { goAway, type PlannedSlice, planSlice } from './plan-slice.ts';
import { inEffectOf, type RolloutRecord } from './rollout-record.ts';

export interface Plan {
  actions: Action[];
  routes: Route[];
  ports: PortRoute[];
  names: EnvironmentName[];
  slices: Map<string, SlicePlan>;
  /** To be on disk before anything is done. */
  rollouts: Map<string, RolloutRecord>;
  /** Instances whose last lines are needed. */
  reads: string[];
  /** Rollouts whose release is to be asked as a visitor would. */
  visits: Visit[];
}

/**
 * The actions that lead the machine from its present to its desired state. The plan has no memory: from any state,
 * repeated, it converges on the same end. Trouble with one workload stays with that workload.
 */
export function plan(machine: Machine): Plan {
  const owners = hostOwners([...machine.wanted.values()].map((wanted) => inEffectOf(wanted, machine.rollouts)));
  const plans: Plan = {
    ...{ actions: [], routes: [], ports: [], names: [] },
    ...{ slices: new Map(), rollouts: new Map(), reads: [], visits: [] },
  };
  const byKey = Map.groupBy(machine.seen, ({ key }) => key);
  for (const wanted of machine.wanted.values()) {
    const instances = byKey.get(wanted.key) ?? [];
    try {
      const planned = standStill(machine, wanted.key, planWanted(machine, wanted, instances, owners, plans), instances);
      plans.actions.push(...planned.actions);
      plans.routes.push(...planned.addresses.routes);
      plans.ports.push(...planned.addresses.ports);
      plans.names.push(...planned.addresses.names);
      plans.slices.set(wanted.key, planned.slice);
    } catch (error) {
      plans.slices.set(wanted.key, {
        inEffect: false,
        error: `The agent cannot plan this workload: ${String(error)}`,
        processes: new Map(),
      });
      const before = machine.rollouts.get(wanted.key);
      if (before !== undefined) plans.rollouts.set(wanted.key, before);
    }
  }
  for (const [key, instances] of byKey) {
    if (!machine.wanted.has(key)) plans.actions.push(...goAway(instances, machine.now));
  }
  plans.routes.sort((one, other) => (one.host < other.host ? -1 : 1));
  plans.ports.sort((one, other) => one.port - other.port);
  return plans;
}

function planWanted(
  machine: Machine,
  wanted: DesiredSlice,
  instances: readonly Seen[],
  owners: ReadonlyMap<string, string>,
  plans: Plan,
): PlannedSlice {
  const { key, workload } = wanted;
  if (workload?.rollout === undefined) return planSlice(machine, wanted, instances, owners);
  const target = { ...wanted, workload: { ...workload, rollout: workload.rollout } };
  const waits = workload.processes.some((process) => machine.standsStill(key, process));
  const patient = waits ? { ...machine, rollouts: sinceNow(machine, key) } : machine;
  const { record, reads, visits = [], ...planned } = planRollout(patient, target, instances, owners);
  plans.rollouts.set(key, record);
  plans.reads.push(...reads);
  plans.visits.push(...visits);
  return planned;
}

/** While its instances may not begin, the time does not count in which they are to be ready. */
function sinceNow({ rollouts, now }: Machine, key: string): Machine['rollouts'] {
  const record = rollouts.get(key);
  if (record?.progress === undefined) return rollouts;
  return new Map(rollouts).set(key, { ...record, progress: { ...record.progress, at: now } });
}

/** What mounts a volume whose data are being replaced, or packed, ends, and nothing of it begins. */
function standStill(machine: Machine, key: string, planned: PlannedSlice, instances: readonly Seen[]): PlannedSlice {
  const still = new Map(
    instances.filter(({ process }) => machine.standsStill(key, process)).map((seen) => [seen.id, seen] as const),
  );
  const begins = (action: Action): boolean =>
    action.do === 'add'
      ? machine.standsStill(key, action.process)
      : (action.do === 'create' || action.do === 'start') && still.has(action.id);
  const left = planned.actions.filter((action) => !begins(action));
  if (still.size === 0 && left.length === planned.actions.length) return planned;
  const retire = [...still.values()].filter(({ retired }) => !retired).map(({ id }): Action => ({ do: 'retire', id }));
  return { ...planned, actions: [...retire, ...left], slice: { ...planned.slice, inEffect: false } };
}

/** Checks, and how long things may take, hold for what runs already as soon as they change. Later slices count more. */
export function currentProcesses(
  slices: readonly DesiredSlice[],
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
export function hostsOf(slices: readonly DesiredSlice[]): (key: string, process: string) => string | undefined {
  const hosts = new Map<string, string>();
  for (const { key, workload } of slices) {
    for (const { host, process } of workload?.routes ?? []) {
      if (!hosts.has(processKey(key, process))) hosts.set(processKey(key, process), host);
    }
  }
  return (key, process) => hosts.get(processKey(key, process));
}
