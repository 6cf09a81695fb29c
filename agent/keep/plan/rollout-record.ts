import { z } from 'zod';
import { type RolloutPhase, rolloutPhases } from '../../../domain/deployments/states.ts';
import { type ObservedRollout, observedRollout } from '../../../protocol/observed.ts';
import { type Rollout, type Workload, workload } from '../../../protocol/workload.ts';
import type { DesiredSlice, Seen } from '../observe/seen.ts';
import { processKey } from './keys.ts';
import { labelOf } from './label.ts';

/** Memory of one slice's rollouts, on disk before anything is done that rests on it. */
export const rolloutRecord = z.object({
  /** The workload that was last in effect: its instances serve until the switch. None before the first one. */
  base: workload.optional(),
  /** The slice's revision of `base`. */
  baseRevision: z.int().default(0),
  /** The rollout under way, or the last one. */
  rollout: observedRollout,
  /** Of the processes whose instances are replaced: the labels of the new ones, and the restarts that are part of them. */
  labels: z.record(z.string(), z.string()),
  restarts: z.record(z.string(), z.string()),
  /** Labels of instances that are to end: of attempts that failed or were given up, and the old ones after the switch. */
  leaving: z.array(z.string()),
  /** The release command: begun before it is started, late when it is ended for its time, and then ended. */
  command: z.enum(['begun', 'late', 'ended']).optional(),
  /** The old instances of processes with volumes have been told to end. */
  stopped: z.boolean(),
});

export type RolloutRecord = z.infer<typeof rolloutRecord> & {
  /** The most instances that were ready, and stable, and when that grew last. Begins anew with each agent. */
  progress?: { ready: number; stable: number; at: number };
};

export type Target = DesiredSlice & { workload: Workload & { rollout: Rollout } };

const switched: readonly RolloutPhase[] = ['switching', 'draining', 'done'];
const order: readonly RolloutPhase[] = rolloutPhases.filter((phase) => phase !== 'returned');

export function isSwitched({ rollout }: RolloutRecord): boolean {
  return switched.includes(rollout.phase);
}

/** The slice with the workload that serves now, which decides whose a host name is. */
export function inEffectOf(wanted: DesiredSlice, records: ReadonlyMap<string, RolloutRecord>): DesiredSlice {
  const { workload: target } = wanted;
  if (target?.rollout === undefined) return wanted;
  const record = records.get(wanted.key);
  if (record !== undefined && record.rollout.id === target.rollout.id && isSwitched(record)) return wanted;
  return { ...wanted, workload: record?.base ?? { ...target, routes: [] } };
}

/** The workload whose instances serve: during a rollout, and after one that was returned, the one before. */
export function servingWorkload(
  wanted: DesiredSlice | undefined,
  records: ReadonlyMap<string, RolloutRecord>,
): Workload | undefined {
  if (wanted?.workload?.rollout === undefined) return wanted?.workload;
  return inEffectOf(wanted, records) === wanted ? wanted.workload : records.get(wanted.key)?.base;
}

/** The record of the wanted rollout. Of another attempt, as much is kept as serves, or is still to end. */
export function begun(
  { key, workload: target }: Target,
  before: RolloutRecord | undefined,
  instances: readonly Seen[],
  restarts: ReadonlyMap<string, string>,
  now: number,
): RolloutRecord {
  const { id, digest } = target.rollout;
  const same = before?.rollout.id === id;
  if (same && (isSwitched(before) || before.rollout.phase === 'returned')) return before;
  const tokens = same ? before.restarts : tokensOf(key, target, restarts);
  const labels = newLabels(target, before?.base, tokens);
  if (same && JSON.stringify(labels) === JSON.stringify(before.labels)) {
    return before.progress === undefined ? { ...before, progress: { ready: 0, stable: 0, at: now } } : before;
  }
  const there = new Set(instances.filter(({ retired }) => !retired).map(({ label }) => label));
  const kept = new Set([...Object.values(labels), ...servingLabels(key, before?.base, restarts)]);
  const left = before === undefined || isSwitched(before) ? [] : Object.values(before.labels);
  // The command of this rollout is never forgotten, whatever else changes.
  const command = same ? before.command : undefined;
  const anew = { id, digest, phase: 'preparing' as const, at: { preparing: new Date(now).toISOString() } };
  return {
    ...(before?.base === undefined ? {} : { base: before.base }),
    baseRevision: before?.baseRevision ?? 0,
    ...(command === undefined ? { rollout: anew } : { rollout: before?.rollout ?? anew, command }),
    labels,
    restarts: tokens,
    leaving: [...new Set([...(before?.leaving ?? []), ...left])].filter((one) => there.has(one) && !kept.has(one)),
    stopped: false,
    progress: { ready: 0, stable: 0, at: now },
  };
}

/** A phase never goes back, and one that was passed over began when the next one did. */
export function advanced(record: RolloutRecord, phase: RolloutPhase, now: number): RolloutRecord {
  const { rollout } = record;
  if (order.indexOf(phase) <= order.indexOf(rollout.phase)) return record;
  const at = { ...rollout.at };
  for (const passed of order.slice(0, order.indexOf(phase) + 1)) {
    // Most releases have no command.
    if (passed === 'releasing' && phase !== passed) continue;
    at[passed] ??= new Date(now).toISOString();
  }
  const { message: _, ...rest } = rollout;
  return { ...record, rollout: { ...rest, phase, at } };
}

export function returned(
  record: RolloutRecord,
  message: string,
  failure: NonNullable<ObservedRollout['failure']>,
  now: number,
): RolloutRecord {
  const { rollout, progress: _, ...rest } = record;
  const at = { ...rollout.at, returned: new Date(now).toISOString() };
  return {
    ...rest,
    rollout: { ...rollout, phase: 'returned', message: message.slice(0, 2000), failure, at },
    leaving: [...new Set([...record.leaving, ...Object.values(record.labels)])],
  };
}

export function told(record: RolloutRecord, message: string | undefined): RolloutRecord {
  if (record.rollout.message === message) return record;
  const { message: _, ...rollout } = record.rollout;
  return { ...record, rollout: message === undefined ? rollout : { ...rollout, message: message.slice(0, 2000) } };
}

/** A process whose instances can go on as they are: at most their number changes. */
export function isShared(base: Workload | undefined, target: Workload, name: string): boolean {
  const before = base?.processes.find((process) => process.name === name);
  const after = target.processes.find((process) => process.name === name);
  if (base === undefined || before === undefined || after === undefined) return false;
  return labelOf(base, before, undefined) === labelOf(target, after, undefined);
}

function newLabels(target: Workload, base: Workload | undefined, tokens: Record<string, string>) {
  return Object.fromEntries(
    target.processes.flatMap((process) =>
      process.kind === 'cron' || isShared(base, target, process.name)
        ? []
        : [[process.name, labelOf(target, process, tokens[process.name])]],
    ),
  );
}

function tokensOf(key: string, { processes }: Workload, restarts: ReadonlyMap<string, string>) {
  return Object.fromEntries(
    processes.flatMap(({ name }) => {
      const token = restarts.get(processKey(key, name));
      return token === undefined ? [] : [[name, token]];
    }),
  );
}

function servingLabels(key: string, base: Workload | undefined, restarts: ReadonlyMap<string, string>): string[] {
  if (base === undefined) return [];
  return base.processes.map((process) => labelOf(base, process, restarts.get(processKey(key, process.name))));
}
