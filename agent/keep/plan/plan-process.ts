import { defined } from '../../../domain/defined.ts';
import type { Process, Workload } from '../../../protocol/workload.ts';
import { isLoop, loopText } from '../observe/crash-loop.ts';
import { type Action, isStable, type Seen, whyOf } from '../observe/seen.ts';

export interface ProcessPlan {
  actions: Action[];
  /** Every wanted instance is stable, and no other gets requests. */
  inEffect: boolean;
  error?: string;
  crashLoop?: CrashLoop;
}

export interface CrashLoop {
  process: string;
  instance: string;
  restarts: number;
  seconds: number;
  /** "exited with code 1". */
  how: string;
}

const keptEnded = 2;

/**
 * Replaces what runs by what shall run, replica by replica: one more than asked for at most, and never fewer of them
 * ready than there were, unless they went by themselves.
 */
export function planProcess(
  key: string,
  process: Process,
  workload: Workload,
  label: string,
  instances: readonly Seen[],
  now: number,
): ProcessPlan {
  const lasting = instances.filter(({ retired }) => !retired);
  const current = lasting.filter((seen) => seen.label === label).sort((one, other) => byWorth(one, other, now));
  const old = lasting.filter((seen) => seen.label !== label).sort((one, other) => byWorth(one, other, now));

  const kept = current.slice(0, process.replicas);
  const stable = kept.filter((seen) => isStable(seen, now)).length;
  // An old one may go when a new one that can be relied upon has taken its place.
  const keptOld = old.slice(0, process.replicas - stable);
  const lacking = Math.max(
    0,
    Math.min(process.replicas - kept.length, process.replicas + 1 - kept.length - keptOld.length),
  );
  const actions: Action[] = [
    ...[...current.slice(process.replicas), ...old.slice(keptOld.length)].map(
      ({ id }): Action => ({ do: 'retire', id }),
    ),
    ...[...kept, ...keptOld].flatMap((seen) => goOn(seen, now)),
    ...Array.from({ length: lacking }, (): Action => ({ do: 'add', key, label, process, workload })),
    ...endings(instances, keptEnded, now),
  ];
  const crashLoop = worstLoop(kept);
  const error = trouble(key, kept, process, crashLoop, now);
  return {
    actions,
    inEffect: stable === process.replicas && old.length === keptOld.length && keptOld.length === 0,
    ...defined({ error, crashLoop }),
  };
}

/** Instances that have their end before them: drained while they run, kept for their logs, then removed. */
export function endings(instances: readonly Seen[], kept: number, now: number): Action[] {
  const ended = instances
    .filter(({ retired, state, busy }) => retired && !busy && state !== 'running')
    .sort((one, other) => endOf(other) - endOf(one));
  const forgotten = ended.filter((seen, rank) => now >= seen.notBefore && (seen.run === 0 || rank >= kept));
  return [
    ...instances
      .filter((seen) => seen.retired && !seen.busy && seen.state === 'running' && now >= seen.notBefore)
      .map(({ id, process }): Action => ({ do: 'drain', id, seconds: process.drainSeconds })),
    ...forgotten.map(({ id }): Action => ({ do: 'remove', id })),
  ];
}

/** An instance that is to run does: it is created, started, or ended if only a restart can help. */
export function goOn(seen: Seen, now: number): Action[] {
  if (seen.busy) return [];
  if (seen.state === 'running') {
    if (seen.sick === undefined) return [];
    return [{ do: 'stop', id: seen.id, graceSeconds: Math.min(10, seen.process.drainSeconds), why: seen.sick }];
  }
  if (now < seen.notBefore) return [];
  return [{ do: seen.state === 'preparing' ? 'create' : 'start', id: seen.id }];
}

/** Which of them are worth most: those that can be relied upon, then those that run, then the older ones. */
export function byWorth(one: Seen, other: Seen, now: number): number {
  return worth(other, now) - worth(one, now) || one.since - other.since || (one.id < other.id ? -1 : 1);
}

function worth(seen: Seen, now: number): number {
  if (isStable(seen, now)) return 4;
  if (seen.state === 'running') return seen.ready && seen.sick === undefined ? 3 : 2;
  return seen.state === 'preparing' ? 0 : 1;
}

function endOf(seen: Seen): number {
  return seen.exit?.at.getTime() ?? seen.startedAt ?? 0;
}

/** The one that was started again most often. */
function worstLoop(kept: readonly Seen[]): CrashLoop | undefined {
  const loops = kept.flatMap(({ id, process, crashes }) =>
    isLoop(crashes) ? [{ process: process.name, instance: id, ...crashes.told }] : [],
  );
  return loops.sort((one, other) => other.restarts - one.restarts)[0];
}

function trouble(
  key: string,
  kept: readonly Seen[],
  process: Process,
  crashLoop: CrashLoop | undefined,
  now: number,
): string | undefined {
  const refused = kept.find((seen) => seen.refused !== undefined);
  if (refused?.refused !== undefined) return refused.refused;
  const failed = kept.find((seen) => seen.state === 'preparing' && seen.message !== undefined);
  if (failed !== undefined) return `${failed.id} cannot be created yet: ${failed.message}`;
  if (crashLoop !== undefined) {
    return `${key.replace(/^workload\//, '')}/${process.name} is in a crash loop: ${loopText(crashLoop)}.`;
  }
  const late = kept.find((seen) => !seen.ready && now - seen.since > process.readyWithinSeconds * 1000);
  if (late === undefined) return undefined;
  return `${late.id} is not ready after ${process.readyWithinSeconds} s: ${whyOf(late)}`;
}
