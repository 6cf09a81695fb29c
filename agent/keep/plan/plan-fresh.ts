import type { Process } from '../../../protocol/workload.ts';
import { type Action, isServing, type Seen } from '../observe/seen.ts';
import { byWorth, goOn } from './plan-process.ts';
import type { RolloutRecord, Target } from './rollout-record.ts';

export interface Fresh {
  actions: Action[];
  /** By process: the new instances that count. */
  kept: Map<string, Seen[]>;
  /** Old instances that end before new ones may start, because they have the same volume. */
  stops: ReadonlySet<string>;
  /** The processes that wait for that. */
  waiting: readonly Process[];
  record: RolloutRecord;
}

/** New instances of all processes, beside the old ones; those with a volume last, when all others are ready. */
export function planFresh(
  { key, workload }: Target,
  record: RolloutRecord,
  fresh: readonly Seen[],
  instances: readonly Seen[],
  now: number,
): Fresh {
  const actions: Action[] = [];
  const kept = new Map<string, Seen[]>();
  const blockers = new Map<Process, Seen[]>();
  let room = (workload.rollout.maxParallel ?? Number.POSITIVE_INFINITY) - fresh.filter((seen) => !seen.ready).length;
  for (const process of workload.processes) {
    const label = record.labels[process.name];
    if (label === undefined) continue;
    const mine = fresh
      .filter((seen) => seen.process.name === process.name)
      .sort((one, other) => byWorth(one, other, now));
    const wanted = mine.slice(0, process.replicas);
    kept.set(process.name, wanted);
    actions.push(...mine.slice(process.replicas).map(({ id }): Action => ({ do: 'retire', id })));
    const blocking = blockersOf(process, instances, record);
    if (blocking.length > 0 && process.replicas > 0) {
      blockers.set(process, blocking);
      continue;
    }
    const lacking = Math.max(0, Math.min(process.replicas - wanted.length, room));
    room -= lacking;
    actions.push(
      ...wanted.flatMap((seen) => goOn(seen, now)),
      ...Array.from({ length: lacking }, (): Action => ({ do: 'add', key, label, process, workload })),
    );
  }
  const waiting = [...blockers.keys()];
  const others = workload.processes.filter(({ name }) => kept.has(name) && !waiting.some((one) => one.name === name));
  const ready = others.every(({ name, replicas }) => (kept.get(name) ?? []).filter(isServing).length >= replicas);
  const stopped = record.stopped || (waiting.length > 0 && ready);
  const stopping = stopped ? [...blockers.values()].flat().filter(({ retired }) => !retired) : [];
  return {
    actions: [...stopping.map(({ id }): Action => ({ do: 'retire', id })), ...actions],
    kept,
    stops: new Set(stopping.map(({ id }) => id)),
    waiting,
    record: stopped === record.stopped ? record : { ...record, stopped },
  };
}

/** Instances of before that have a volume of this process and have not ended. */
function blockersOf({ mounts }: Process, instances: readonly Seen[], { labels }: RolloutRecord): Seen[] {
  const volumes = new Set(mounts.map(({ volume }) => volume));
  return instances.filter(
    (seen) =>
      (!seen.retired || seen.state === 'running' || seen.busy) &&
      (seen.retired || seen.label !== labels[seen.process.name]) &&
      seen.process.mounts.some(({ volume }) => volumes.has(volume)),
  );
}
