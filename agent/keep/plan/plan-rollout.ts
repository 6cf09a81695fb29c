import { faultsOf } from '../faults.ts';
import type { Action, Seen } from '../observe/seen.ts';
import type { Visit } from '../observe/visits.ts';
import { addressesOf, noAddresses } from './addresses.ts';
import { judge } from './judge-rollout.ts';
import type { Machine } from './machine.ts';
import { endCommands, isReleaseCommand, planCommand } from './plan-command.ts';
import { planFresh } from './plan-fresh.ts';
import { endings, goOn } from './plan-process.ts';
import { type PlannedSlice, planSlice } from './plan-slice.ts';
import { advanced, begun, isShared, isSwitched, type RolloutRecord, returned, type Target } from './rollout-record.ts';

export interface PlannedRollout extends PlannedSlice {
  record: RolloutRecord;
  /** Instances whose last lines are needed before it can be returned. */
  reads: string[];
  /** The release is switched to, and is asked as a visitor would before the rollout is done. */
  visits?: Visit[];
}

const keptEnded = 2;

/**
 * Puts a release in place as a whole. The old instances serve, untouched, until all new ones have been well for long
 * enough; then every address leads to the new ones, and the old ones end. If the new ones fail, they end instead, and it
 * stays so until another rollout is wanted.
 */
export function planRollout(
  machine: Machine,
  target: Target,
  all: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): PlannedRollout {
  const { now, restarts } = machine;
  const commands = all.filter(isReleaseCommand);
  const instances = all.filter((seen) => !commands.includes(seen));
  const record = begun(target, machine.rollouts.get(target.key), instances, restarts, now);
  const leaving = instances.filter((seen) => !seen.retired && record.leaving.includes(seen.label));
  const rest = instances.filter((seen) => !leaving.includes(seen));
  const planned = isSwitched(record)
    ? finish(machine, target, record, leaving, rest, owners)
    : record.rollout.phase === 'returned'
      ? serve(machine, target, record, rest, owners)
      : (release(machine, target, record, commands, rest, owners) ??
        attempt(machine, target, record, instances, rest, owners));
  // Addresses that no longer lead to them are in use before they end.
  const retire = machine.routed && machine.forgotten ? leaving.map(({ id }): Action => ({ do: 'retire', id })) : [];
  const apart = new Set([...(planned.slice.apart ?? []), ...leaving.map(({ id }) => id)]);
  const actions = [...retire, ...planned.actions, ...endCommands(target, planned.record, commands, now)];
  return { ...planned, actions, slice: { ...planned.slice, apart } };
}

/** What served before goes on until the release command has ended well. Nothing: it has, or there is none. */
function release(
  machine: Machine,
  target: Target,
  record: RolloutRecord,
  commands: readonly Seen[],
  rest: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): PlannedRollout | undefined {
  const judged = planCommand(machine, target, record, commands, owners);
  if (judged === undefined) return undefined;
  if (judged.verdict === 'failed') {
    const { message, failure } = judged;
    return serve(machine, target, returned(judged.record, message, failure, machine.now), rest, owners);
  }
  const planned = serve(machine, target, judged.record, rest, owners);
  const reads = judged.verdict === 'failing' ? [judged.instance] : [];
  return { ...planned, actions: [...planned.actions, ...judged.actions], reads };
}

/** The release is switched to: what is left of the old one ends. */
function finish(
  machine: Machine,
  target: Target,
  before: RolloutRecord,
  leaving: readonly Seen[],
  rest: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): PlannedRollout {
  const { now } = machine;
  const planned = planSlice(machine, target, rest, owners, true);
  const drains = rest.some((seen) => seen.retired && (seen.state === 'running' || seen.busy));
  let record = before;
  if (machine.routed && leaving.length === 0) record = advanced(record, 'draining', now);
  const visits = record.rollout.phase === 'draining' ? visitsOf(target, planned.addresses) : [];
  const warnings = visits.length === 0 ? [] : machine.visited(visitId(target));
  if (before.rollout.phase === 'draining' && !drains && leaving.length === 0 && warnings !== undefined) {
    record = advanced(record, 'done', now);
    if (warnings.length > 0) record = { ...record, rollout: { ...record.rollout, warnings: [...warnings] } };
  }
  if (record.rollout.phase === 'done' && planned.slice.inEffect && record.baseRevision !== target.revision) {
    record = { ...record, base: target.workload, baseRevision: target.revision };
  }
  const inEffect = planned.slice.inEffect && record.rollout.phase === 'done';
  return { ...planned, slice: { ...planned.slice, inEffect }, record, reads: [], visits };
}

/** One for the first host name that leads to an instance by HTTP/1.1: the others lead to the same program. */
function visitsOf(target: Target, { routes }: PlannedSlice['addresses']): Visit[] {
  const [first] = routes.flatMap(({ host, upstreams: [instance] }) =>
    instance === undefined || instance.protocol === 'h2c' ? [] : [{ host, instance }],
  );
  return first === undefined ? [] : [{ id: visitId(target), ...first }];
}

function visitId({ key, workload }: Target): string {
  return `${key} ${workload.rollout.id}`;
}

/** What was in effect before goes on, as if nothing else were wanted. */
function serve(
  machine: Machine,
  { key, workload, broken }: Target,
  record: RolloutRecord,
  instances: readonly Seen[],
  owners: ReadonlyMap<string, string>,
  serving = record.base,
): PlannedRollout {
  if (serving !== undefined) {
    const planned = planSlice(machine, { key, workload: serving, broken }, instances, owners, true);
    return { ...planned, slice: { ...planned.slice, inEffect: false }, record, reads: [] };
  }
  // The memory of what served was lost, or nothing did: what is there goes on.
  const lasting = instances.filter(({ retired }) => !retired);
  const faults = faultsOf(workload, machine.ingress);
  const addresses =
    lasting.length === 0 ? noAddresses : addressesOf(workload, key, owners, faults, lasting, machine.now);
  return {
    actions: [...lasting.flatMap((seen) => goOn(seen, machine.now)), ...endings(instances, keptEnded, machine.now)],
    addresses,
    slice: { inEffect: false, processes: new Map(), ...(broken === undefined ? {} : { error: broken }) },
    record,
    reads: [],
  };
}

/** New instances beside the old ones, until it is known whether they are well. */
function attempt(
  machine: Machine,
  target: Target,
  begunRecord: RolloutRecord,
  instances: readonly Seen[],
  rest: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): PlannedRollout {
  const { now } = machine;
  const isFresh = ({ label, retired, process }: Seen) =>
    !retired && process.kind !== 'cron' && begunRecord.labels[process.name] === label;
  const old = rest.filter((seen) => !isFresh(seen));
  const fresh = planFresh(target, begunRecord, rest.filter(isFresh), instances, now);
  const judged = judge(machine, target, fresh, rest, owners);
  const { record } = judged;
  const served = old.filter(({ id }) => !fresh.stops.has(id));
  if (judged.verdict === 'failed') {
    return serve(machine, target, returned(record, judged.message, judged.failure, now), served, owners);
  }
  if (judged.verdict === 'well') return turn(machine, target, record, rest, old, owners);
  const planned = serve(machine, target, record, served, owners, servingMeanwhile(target, record));
  return {
    ...planned,
    actions: [...planned.actions, ...(judged.verdict === 'open' ? fresh.actions : [])],
    slice: { ...planned.slice, apart: new Set(rest.filter(isFresh).map(({ id }) => id)) },
    reads: judged.verdict === 'failing' ? [judged.instance] : [],
  };
}

/** The one step in which every address comes to lead to the new instances. */
function turn(
  machine: Machine,
  target: Target,
  before: RolloutRecord,
  rest: readonly Seen[],
  old: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): PlannedRollout {
  const { progress: _, ...kept } = advanced(before, 'switching', machine.now);
  const ends = old.filter((seen) => !seen.retired && isReplaced(target, before, seen)).map(({ label }) => label);
  const leaving = new Set([...before.leaving, ...ends]);
  const record = { ...kept, base: target.workload, baseRevision: target.revision, leaving: [...leaving] };
  const staying = rest.filter((seen) => seen.retired || !leaving.has(seen.label));
  return finish({ ...machine, routed: false }, target, record, [], staying, owners);
}

/** Runs of a schedule end by themselves, and instances that both releases have go on. */
function isReplaced({ workload }: Target, { base }: RolloutRecord, { process }: Seen): boolean {
  const next = workload.processes.find(({ name }) => name === process.name);
  if (next?.kind === 'cron' && process.kind === 'cron') return false;
  return !isShared(base, workload, process.name);
}

/** The old workload, with as many of what both releases have as either needs, and without what has to end first. */
function servingMeanwhile({ workload }: Target, { base, stopped }: RolloutRecord): RolloutRecord['base'] {
  if (base === undefined) return undefined;
  const taken = new Set(
    workload.processes.flatMap(({ name, mounts }) =>
      isShared(base, workload, name) ? [] : mounts.map(({ volume }) => volume),
    ),
  );
  const processes = base.processes.map((process) => {
    if (isShared(base, workload, process.name)) {
      const next = workload.processes.find(({ name }) => name === process.name);
      return { ...process, replicas: Math.max(process.replicas, next?.replicas ?? 0) };
    }
    const ends = stopped && process.mounts.some(({ volume }) => taken.has(volume));
    return ends ? { ...process, replicas: 0 } : process;
  });
  return { ...base, processes };
}
