import type { Workload } from '../../../protocol/workload.ts';
import type { RunResult } from '../../commands/run.ts';
import { Refusal } from '../../program/refusal.ts';
import { crashText } from '../observe/crash-loop.ts';
import type { Seen } from '../observe/seen.ts';
import { labelOf } from '../plan/label.ts';
import { idOf, isUnfinished } from '../plan/plan-cron.ts';
import type { Roster } from '../roster.ts';

export interface RunRequest {
  key: string;
  process: string;
  /** Of the command: the same one asks for the same run. */
  token: string;
  signal: AbortSignal;
}

interface World {
  roster: Roster;
  /** The workload that serves. */
  workload: Workload | undefined;
  restart: string | undefined;
  seen(): readonly Seen[];
  now(): number;
  nextPass(): Promise<void>;
}

/** One run of a process with a schedule, outside of its times. The plan starts it like all others; its log is theirs, too. */
export async function extraRun({ key, process: name, token, signal }: RunRequest, world: World): Promise<RunResult> {
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
