import type { Workload } from '../../protocol/workload.ts';
import type { RunResult } from '../commands/run.ts';
import { Refusal } from '../program/refusal.ts';
import type { Memory } from './memory.ts';
import { crashText } from './observe/crash-loop.ts';
import type { Seen } from './observe/seen.ts';
import { processKey } from './plan/keys.ts';
import { labelOf } from './plan/label.ts';
import type { Plan } from './plan/plan.ts';
import { idOf, isUnfinished } from './plan/plan-cron.ts';
import type { Roster } from './roster.ts';

export interface RunRequest {
  key: string;
  process: string;
  /** Of the command: the same one asks for the same run. */
  token: string;
  signal: AbortSignal;
}

interface RunWorld {
  roster: Roster;
  /** The workload that serves. */
  workload: Workload | undefined;
  restart: string | undefined;
  seen(): readonly Seen[];
  now(): number;
  nextPass(): Promise<void>;
}

/** One run of a process with a schedule, outside of its times. The plan starts it like all others; its log is theirs, too. */
export async function extraRun({ key, process: name, token, signal }: RunRequest, world: RunWorld): Promise<RunResult> {
  const { roster, workload } = world;
  const process = workload?.processes.find((one) => one.name === name);
  if (workload === undefined || process === undefined) throw new Refusal(`${name} of ${key} is not on this cluster.`);
  if (process.kind !== 'cron') throw new Refusal(`${name} of ${key} has no schedule: it runs all the time.`);
  if (process.replicas === 0) throw new Refusal(`${name} of ${key} is suspended: resume it first.`);
  const id = idOf(key, name, token);
  const others = world.seen().filter((seen) => seen.key === key && seen.process.name === name && isUnfinished(seen));
  const [running] = others;
  if (running !== undefined && (process.overlap ?? 'skip') === 'skip') {
    throw new Refusal(`${name} of ${key} still runs as ${running.id}, and its runs do not overlap.`);
  }
  roster.add({ do: 'add', key, label: labelOf(workload, process, world.restart), process, workload, id }, world.now());
  if (process.overlap === 'replace') for (const other of others) roster.retire(other.id, world.now());
  for (;;) {
    await world.nextPass();
    const entry = roster.entries.get(id);
    if (signal.aborted) {
      roster.retire(id, world.now());
      return { outcome: 'cancelled' };
    }
    if (entry === undefined) throw new Error(`${id} was removed before it ended.`);
    if (entry.refused !== undefined) throw new Refusal(entry.refused);
    const { exit, state, run = 0 } = entry.instance ?? {};
    if (state !== 'ended' || run === 0) continue;
    if (exit?.code !== undefined && exit.signal === undefined) return { outcome: 'done', exitCode: exit.code };
    const how = exit === undefined ? 'ended while nobody saw it' : crashText(exit);
    return { outcome: 'failed', message: `${id} ${how}.` };
  }
}

interface RestartRequest {
  key: string;
  /** One process alone. */
  process: string | undefined;
  /** The same token asks for the same restart. */
  token: string;
}

interface RestartWorld {
  memory: Memory;
  /** The workload that serves. */
  workload: Workload | undefined;
  plan(): Plan | undefined;
  routed(): boolean;
  nextPass(): Promise<void>;
}

/**
 * Replaces the instances of a slice, or of one of its processes, by new ones of the same release, replica by replica.
 * Resolves when they have taken over.
 */
export async function restart({ key, process, token }: RestartRequest, world: RestartWorld): Promise<void> {
  const { memory, workload } = world;
  const all = workload?.processes ?? [];
  const named = process === undefined ? all : all.filter(({ name }) => name === process);
  const restarted = named.filter(({ kind }) => kind !== 'cron');
  if (restarted.length === 0) {
    const what = process === undefined ? key : `${process} of ${key}`;
    throw new Refusal(
      named.length > 0
        ? `${what} runs by its schedule, so there is nothing to restart.`
        : `${what} is not on this cluster.`,
    );
  }
  if (!memory.tokens.includes(token)) {
    memory.tokens.push(token);
    for (const { name } of restarted) memory.restarts.set(processKey(key, name), token);
    memory.save();
  }
  await world.nextPass();
  for (;;) {
    await world.nextPass();
    const slice = world.plan()?.slices.get(key);
    if (slice === undefined) throw new Refusal(`${key} was removed from this cluster while it was restarted.`);
    const plans = restarted.flatMap(({ name }) => slice.processes.get(name) ?? []);
    if (plans.length === 0) throw new Refusal(`${key} serves nothing any more, so there is nothing to restart.`);
    const failed = plans.find(({ error }) => error !== undefined);
    if (failed?.error !== undefined) throw new Error(failed.error);
    if (plans.every(({ inEffect }) => inEffect) && world.routed()) return;
  }
}
