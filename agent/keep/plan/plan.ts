import type { Process } from '../../../protocol/workload.ts';
import type { Route } from '../../ingress/route.ts';
import { type Faults, faultsOf, hostOwners, normalHost } from '../faults.ts';
import { type Action, isServing, isStable, type Seen, type Wanted } from '../observe/seen.ts';
import { labelOf } from './label.ts';
import { planCron, type Schedule } from './plan-cron.ts';
import { type CrashLoop, endings, planProcess } from './plan-process.ts';

export interface Machine {
  wanted: ReadonlyMap<string, Wanted>;
  seen: readonly Seen[];
  schedules: ReadonlyMap<string, Schedule>;
  /** By slice and process: the last restart that was asked for. */
  restarts: ReadonlyMap<string, string>;
  ingress: boolean;
  now: number;
}

export interface SlicePlan {
  inEffect: boolean;
  error?: string;
  processes: Map<string, { inEffect: boolean; error?: string; crashLoop?: CrashLoop }>;
}

export interface Plan {
  actions: Action[];
  routes: Route[];
  slices: Map<string, SlicePlan>;
}

/** How a schedule is called where it is remembered: another one is new. */
export function scheduleKey(key: string, { name, schedule, timeZone }: Process): string {
  return `${processKey(key, name)} ${schedule} ${timeZone}`;
}

/** How a process of a slice is called where things are remembered by it. */
export function processKey(key: string, process: string): string {
  return `${key} ${process}`;
}

/**
 * The actions that lead the machine from its present to its desired state. The plan has no memory: from any state,
 * repeated, it converges on the same end. Trouble with one workload stays with that workload.
 */
export function plan(machine: Machine): Plan {
  const owners = hostOwners(machine.wanted.values());
  const plans: Plan = { actions: [], routes: [], slices: new Map() };
  const byKey = Map.groupBy(machine.seen, ({ key }) => key);
  for (const wanted of machine.wanted.values()) {
    const instances = byKey.get(wanted.key) ?? [];
    try {
      const planned = planSlice(machine, wanted, instances, owners);
      plans.actions.push(...planned.actions);
      plans.routes.push(...planned.routes);
      plans.slices.set(wanted.key, planned.slice);
    } catch (error) {
      plans.slices.set(wanted.key, {
        inEffect: false,
        error: `The agent cannot plan this workload: ${String(error)}`,
        processes: new Map(),
      });
    }
  }
  for (const [key, instances] of byKey) {
    if (!machine.wanted.has(key)) plans.actions.push(...goAway(instances, machine.now));
  }
  plans.routes.sort((one, other) => (one.host < other.host ? -1 : 1));
  return plans;
}

function planSlice(
  machine: Machine,
  { key, workload, broken }: Wanted,
  instances: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): { actions: Action[]; routes: Route[]; slice: SlicePlan } {
  // Without a known desired state nothing is removed either.
  const processes: SlicePlan['processes'] = new Map();
  if (workload === undefined) {
    return { actions: [], routes: [], slice: { inEffect: false, processes, ...errorOf([broken]) } };
  }
  const faults = faultsOf(workload, machine.ingress);
  const routes = routesOf(workload.routes, key, owners, faults, instances, workload.processes, machine.now);
  if (faults.whole !== undefined) {
    return { actions: [], routes: routes.routes, slice: { inEffect: false, processes, error: faults.whole } };
  }
  const names = new Set(workload.processes.map(({ name }) => name));
  const actions = goAway(
    instances.filter(({ process }) => !names.has(process.name)),
    machine.now,
  );
  const errors: (string | undefined)[] = [broken, ...routes.errors];
  let inEffect =
    broken === undefined && routes.errors.length === 0 && actions.every((action) => action.do !== 'retire');
  for (const process of workload.processes) {
    const fault = faults.processes.get(process.name);
    errors.push(fault);
    if (fault !== undefined) {
      inEffect = false;
      processes.set(process.name, { inEffect: false, error: fault });
      continue;
    }
    const planned = planOne(machine, key, process, workload, instances);
    processes.set(process.name, planned);
    actions.push(...planned.actions);
    errors.push(planned.error);
    inEffect &&= planned.inEffect;
  }
  return { actions, routes: routes.routes, slice: { inEffect, processes, ...errorOf(errors) } };
}

function planOne(
  machine: Machine,
  key: string,
  process: Process,
  workload: NonNullable<Wanted['workload']>,
  all: readonly Seen[],
) {
  const instances = all.filter((seen) => seen.process.name === process.name);
  const name = processKey(key, process.name);
  const label = labelOf(workload, process, machine.restarts.get(name));
  if (process.kind !== 'cron') return planProcess(key, process, workload, label, instances, machine.now);
  const services = instances.filter((seen) => seen.process.kind !== 'cron');
  const planned = planCron(
    key,
    process,
    workload,
    label,
    instances.filter((seen) => seen.process.kind === 'cron'),
    machine.schedules.get(scheduleKey(key, process)) ?? { from: machine.now },
    machine.now,
  );
  return { ...planned, actions: [...planned.actions, ...goAway(services, machine.now)] };
}

/** Instances that nothing asks for any more: nothing of them is kept. */
function goAway(instances: readonly Seen[], now: number): Action[] {
  const retire = instances.filter(({ retired }) => !retired).map(({ id }): Action => ({ do: 'retire', id }));
  return [...retire, ...endings(instances, 0, now)];
}

function routesOf(
  wanted: NonNullable<Wanted['workload']>['routes'],
  key: string,
  owners: ReadonlyMap<string, string>,
  faults: Faults,
  instances: readonly Seen[],
  processes: readonly Process[],
  now: number,
): { routes: Route[]; errors: string[] } {
  const routes = new Map<string, Route>();
  const errors: string[] = [];
  for (const { host, process } of wanted) {
    const normal = normalHost(host);
    const owner = owners.get(normal);
    const fault =
      faults.hosts.get(host) ??
      (owner !== key ? `The host ${host} already leads to ${owner}: use another one.` : undefined) ??
      (routes.has(normal) ? `The host ${host} is named twice: it leads to the first process only.` : undefined);
    if (fault !== undefined) {
      errors.push(fault);
      continue;
    }
    const protocol = processes.find(({ name }) => name === process)?.upstream ?? 'http1';
    const serving = servingOf(
      instances.filter((seen) => seen.process.name === process),
      now,
    );
    const upstreams = serving.flatMap(({ id, address }) =>
      address === undefined ? [] : [{ instance: id, ...address, protocol }],
    );
    routes.set(normal, { host: normal, upstreams });
  }
  return { routes: [...routes.values()], errors };
}

/** Those that are ready for long enough; if there is none, those that are ready: somebody has to serve. */
export function servingOf(instances: readonly Seen[], now: number): Seen[] {
  const serving = instances.filter(isServing).sort((one, other) => (one.id < other.id ? -1 : 1));
  const stable = serving.filter((seen) => isStable(seen, now));
  return stable.length > 0 ? stable : serving;
}

function errorOf(errors: readonly (string | undefined)[]): { error?: string } {
  const said = [...new Set(errors.filter((error) => error !== undefined))];
  return said.length === 0 ? {} : { error: said.join(' ').slice(0, 2000) };
}
