import { defined } from '../../../domain/defined.ts';
import type { Observed, ObservedInstance, ObservedSlice } from '../../../protocol/observed.ts';
import type { DesiredFile } from '../desired-file.ts';
import { normalHost } from '../faults.ts';
import { servingOf } from '../plan/addresses.ts';
import { releaseOf } from '../plan/label.ts';
import type { Plan } from '../plan/plan.ts';
import { inEffectOf, type RolloutRecord } from '../plan/rollout-record.ts';
import type { Statistics } from '../statistics.ts';
import { isAsked, isServing, type Seen, whyOf } from './seen.ts';

/** A workload's instances, as people and the control plane see them. */
function observeInstances(
  seen: readonly Seen[],
  node: string,
  now: number,
  /** Those that no address leads to, although they may be ready. */
  apart: ReadonlySet<string> = new Set(),
): ObservedInstance[] {
  const reached = seen.filter(({ id }) => !apart.has(id));
  const getRequests = new Set(
    [...Map.groupBy(reached, ({ process }) => process.name).values()].flatMap((some) => servingOf(some, now)),
  );
  return [...seen]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map((one) => observeInstance(one, getRequests.has(one), node));
}

function observeInstance(seen: Seen, getsRequests: boolean, node: string): ObservedInstance {
  const state = stateOf(seen, getsRequests);
  const message = messageOf(seen, state);
  const { exit, startedAt } = seen;
  const { listening, memoryBytes } = seen.state === 'running' ? seen : ({} as Partial<Seen>);
  return {
    ...{ id: seen.id, process: seen.process.name, release: releaseOf(seen.label), node, state, run: seen.run },
    ...defined({
      startedAt: startedAt === undefined ? undefined : new Date(startedAt).toISOString(),
      exit: exit && { run: exit.run, at: exit.at.toISOString(), ...defined({ code: exit.code, signal: exit.signal }) },
      listening: listening && { ...listening, sockets: [...listening.sockets] },
      ...{ message, memoryBytes },
    }),
  };
}

function stateOf(seen: Seen, getsRequests: boolean): ObservedInstance['state'] {
  if (seen.state === 'preparing') return 'preparing';
  if (seen.state === 'created') return 'starting';
  if (seen.state === 'ended') return seen.retired || seen.process.kind === 'cron' ? 'ended' : 'waiting';
  if (seen.retired) return 'draining';
  if (seen.process.kind === 'cron') return 'running';
  if (getsRequests && isAsked(seen.process)) return 'ready';
  if (seen.wasReady && !isServing(seen)) return 'failing';
  return seen.started ? 'running' : 'starting';
}

function messageOf(seen: Seen, state: ObservedInstance['state']): string | undefined {
  if (seen.refused !== undefined) return seen.refused;
  if (state === 'waiting') {
    return seen.busy ? whyOf(seen) : `${whyOf(seen)} It is started again at ${new Date(seen.notBefore).toISOString()}.`;
  }
  if (state === 'preparing') return seen.message ?? 'Its image is being made ready.';
  if (state === 'draining') return 'It ends what it is doing.';
  if (state === 'running' && isServing(seen) && isAsked(seen.process)) {
    return `It is ready, and counts when it has been for ${seen.process.stabilizationSeconds} s.`;
  }
  return seen.sick ?? seen.message;
}

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
    ...defined({ error, disk }),
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
    ...defined({ revision: slice?.revision, error, rollout }),
    ...(crashLoops.length === 0 ? {} : { crashLoops }),
    instances: observeInstances(seen, node, now, planned?.apart),
    volumes: slice === undefined ? [] : statistics.volumesOf(key),
    traffic: statistics.trafficOf(hosts),
  };
}
