import type { Observed, ObservedSlice } from '../../../protocol/observed.ts';
import type { DesiredFile } from '../desired-file.ts';
import { normalHost } from '../faults.ts';
import type { Plan } from '../plan/plan.ts';
import { inEffectOf, type RolloutRecord } from '../plan/rollout-record.ts';
import type { Statistics } from '../statistics.ts';
import { observeInstances } from './observe.ts';
import type { Seen } from './seen.ts';

interface Look {
  desired: DesiredFile;
  /** The revision of each slice that is in effect. */
  applied: ReadonlyMap<string, number>;
  plan: Plan | undefined;
  rollouts: ReadonlyMap<string, RolloutRecord>;
  statistics: Statistics;
  seen: readonly Seen[];
  node: string;
  now: number;
  /** The reason why no request reaches this machine's instances. */
  unreachable: string | undefined;
  error: string | undefined;
  disk: Observed['disk'];
}

/** All that this machine was told to run and all that runs, as people and the control plane see it. */
export function observeMachine(look: Look): Observed {
  const { desired, applied, error, disk } = look;
  const byKey = Map.groupBy(look.seen, ({ key }) => key);
  const keys = [...new Set([...desired.slices.keys(), ...byKey.keys()])].sort();
  // A rollout that was returned has come to its end: nothing of its revision is waited for.
  const isReturned = (key: string) => look.rollouts.get(key)?.rollout.phase === 'returned';
  const open = [...desired.slices.values()].filter(
    ({ key, revision }) => applied.get(key) !== revision && !isReturned(key),
  );
  const missing = [...open.map(({ revision }) => revision), ...desired.removed.values()];
  return {
    appliedRevision: missing.length === 0 ? desired.revision : Math.min(...missing) - 1,
    slices: keys.map((key) => observeSlice(look, key, byKey.get(key) ?? [])),
    ...(error === undefined ? {} : { error }),
    ...(disk === undefined ? {} : { disk }),
  };
}

function observeSlice(look: Look, key: string, seen: readonly Seen[]): ObservedSlice {
  const { statistics, applied, node, now } = look;
  const slice = look.desired.slices.get(key);
  const planned = look.plan?.slices.get(key);
  const { routes = [], processes = [] } = (slice && inEffectOf(slice, look.rollouts))?.workload ?? {};
  const closed = processes.flatMap(({ name, internalPort }) => {
    const why = statistics.portFailure(internalPort);
    return why === undefined ? [] : [`The port ${internalPort}, which leads to ${name}, cannot be opened: ${why}`];
  });
  const rollout = look.rollouts.get(key)?.rollout;
  const error = planned?.error ?? slice?.broken ?? closed[0] ?? (routes.length === 0 ? undefined : look.unreachable);
  const crashLoops = [...(planned?.processes.values() ?? [])].flatMap(({ crashLoop }) => crashLoop ?? []);
  const hosts = new Set(routes.map(({ host }) => normalHost(host)));
  return {
    key,
    appliedRevision: applied.get(key) ?? 0,
    ...(slice === undefined ? {} : { revision: slice.revision }),
    ...(error === undefined ? {} : { error }),
    ...(crashLoops.length === 0 ? {} : { crashLoops }),
    ...(rollout === undefined ? {} : { rollout }),
    instances: observeInstances(seen, node, now, planned?.apart),
    volumes: slice === undefined ? [] : statistics.volumesOf(key),
    traffic: statistics.trafficOf(hosts),
  };
}
