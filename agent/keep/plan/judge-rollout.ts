import { defined } from '../../../domain/defined.ts';
import type { ObservedRollout } from '../../../protocol/observed.ts';
import type { Process } from '../../../protocol/workload.ts';
import { faultsOf } from '../faults.ts';
import { isLoop } from '../observe/crash-loop.ts';
import { isServing, isStable, type Seen, whyOf } from '../observe/seen.ts';
import { hostFault } from './addresses.ts';
import type { Machine } from './machine.ts';
import type { Fresh } from './plan-fresh.ts';
import { byWorth } from './plan-process.ts';
import { advanced, isShared, type RolloutRecord, type Target, told } from './rollout-record.ts';

type Failure = NonNullable<ObservedRollout['failure']>;

export type Judged = { record: RolloutRecord } & (
  | { verdict: 'open' | 'well' }
  /** The release is returned as soon as the last lines of this instance are known. */
  | { verdict: 'failing'; instance: string }
  | { verdict: 'failed'; message: string; failure: Failure }
);

/** Whether the new instances have been well for long enough, or never will be. */
export function judge(
  machine: Machine,
  target: Target,
  fresh: Fresh,
  instances: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): Judged {
  const { now } = machine;
  const { processes } = target.workload;
  const fault = faultOf(machine, target, owners);
  if (fault !== undefined) {
    const { process, message } = fault;
    return { verdict: 'failed', message, failure: { process, lines: [] }, record: fresh.record };
  }
  const services = processes.filter(({ kind }) => kind !== 'cron');
  const counting = services.flatMap((process) => countingOf(target, process, fresh, instances, now));
  const total = services.reduce((sum, { replicas }) => sum + replicas, 0);
  const ready = counting.filter(isServing).length;
  const stable = counting.filter((seen) => isStable(seen, now)).length;
  const record = progressed(fresh, ready, stable, now);
  if (stable === total) return { verdict: 'well', record };
  const failed = failureOf(
    counting.filter((seen) => isJudged(target, fresh, seen, instances, now)),
    record,
    now,
  );
  if (failed !== undefined) {
    const { seen, message } = failed;
    const lines = seen.run === 0 ? [] : machine.lastLines(seen.id);
    if (lines === undefined) return { verdict: 'failing', instance: seen.id, record };
    return { verdict: 'failed', message, failure: failureFrom(seen, lines), record };
  }
  const unprepared = counting.length > 0 && counting.every(({ state }) => state === 'preparing');
  const phase = ready === total ? 'checking' : unprepared || counting.length === 0 ? 'preparing' : 'starting';
  return { verdict: 'open', record: told(advanced(record, phase, now), messageOf(fresh, counting)) };
}

/** Faults of the workload itself, which no waiting helps. */
export function faultOf(machine: Machine, { key, workload }: Target, owners: ReadonlyMap<string, string>) {
  const faults = faultsOf(workload, machine.ingress);
  const [first] = workload.processes;
  const [process, message] = [...faults.processes][0] ?? [];
  if (process !== undefined && message !== undefined) return { process, message };
  const host = workload.routes.map((route) => hostFault(route.host, key, owners, faults)).find((one) => one);
  const open =
    workload.image.digest === undefined
      ? 'A rollout needs an image with a digest: name the image by its digest.'
      : undefined;
  const whole = faults.whole ?? open ?? host;
  return whole === undefined ? undefined : { process: first?.name ?? '', message: whole };
}

/** The instances that are to be well: new ones, or those that both releases have. */
function countingOf(target: Target, process: Process, fresh: Fresh, instances: readonly Seen[], now: number): Seen[] {
  if (!isShared(fresh.record.base, target.workload, process.name)) return fresh.kept.get(process.name) ?? [];
  return instances
    .filter((seen) => !seen.retired && seen.process.name === process.name)
    .sort((one, other) => byWorth(one, other, now))
    .slice(0, process.replicas);
}

/** An instance that served before says nothing of the new release. */
function isJudged(target: Target, fresh: Fresh, seen: Seen, instances: readonly Seen[], now: number): boolean {
  const { base } = fresh.record;
  const before = base?.processes.find(({ name }) => name === seen.process.name);
  if (before === undefined || !isShared(base, target.workload, seen.process.name)) return true;
  const process = target.workload.processes.find(({ name }) => name === seen.process.name) ?? before;
  return countingOf(target, process, fresh, instances, now).indexOf(seen) >= before.replicas;
}

function progressed({ record, waiting }: Fresh, ready: number, stable: number, now: number): RolloutRecord {
  const before = record.progress ?? { ready: 0, stable: 0, at: now };
  const drains = record.stopped && waiting.length > 0;
  if (ready <= before.ready && stable <= before.stable && !drains) return record;
  const progress = { ready: Math.max(ready, before.ready), stable: Math.max(stable, before.stable), at: now };
  return { ...record, progress };
}

function failureOf(
  counting: readonly Seen[],
  { progress }: RolloutRecord,
  now: number,
): { seen: Seen; message: string } | undefined {
  for (const seen of counting) {
    if (seen.refused !== undefined) return { seen, message: seen.refused };
    if (isLoop(seen.crashes)) {
      const { count, how } = seen.crashes;
      return { seen, message: `${seen.id} ${how}, ${count} times in a row, before it was healthy.` };
    }
  }
  const waited = now - (progress?.at ?? now);
  for (const seen of counting) {
    const { readyWithinSeconds, stabilizationSeconds } = seen.process;
    if (!isServing(seen)) {
      if (waited <= readyWithinSeconds * 1000) continue;
      return { seen, message: `${seen.id} is not ready after ${readyWithinSeconds} s: ${whyOf(seen)}` };
    }
    if (isStable(seen, now) || waited <= (readyWithinSeconds + stabilizationSeconds) * 1000) continue;
    return { seen, message: `${seen.id} does not stay ready for ${stabilizationSeconds} s: ${whyOf(seen)}` };
  }
  return undefined;
}

export function failureFrom({ id, process, exit, listening, answer }: Seen, lines: readonly string[]): Failure {
  const { code, signal, outOfMemory } = exit ?? {};
  return {
    process: process.name,
    instance: id,
    lines: [...lines],
    ...defined({
      exit: exit && defined({ code, signal, outOfMemory }),
      listening: listening && { ...listening, sockets: [...listening.sockets] },
      answer,
    }),
  };
}

function messageOf({ waiting, record }: Fresh, counting: readonly Seen[]): string | undefined {
  const failed = counting.find(({ state, message }) => state === 'preparing' && message !== undefined);
  if (failed !== undefined) return `${failed.id} cannot be created yet: ${failed.message}`;
  const late = counting.find((seen) => !isServing(seen) && seen.message !== undefined);
  if (late !== undefined) return `${late.id}: ${late.message}`;
  const [blocked] = waiting;
  if (blocked === undefined || !record.stopped) return undefined;
  return `The old instances of ${blocked.name} end before new ones start, because they have the same volume.`;
}
