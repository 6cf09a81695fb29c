import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type { Process, Workload } from '../../../protocol/workload.ts';
import type { Action, Seen } from '../observe/seen.ts';
import { endings, type ProcessPlan } from './plan-process.ts';

/** Memory of a schedule: when it was first seen, and the last due time that was passed over. */
export interface Schedule {
  from: number;
  skipped?: number;
}

const keptEnded = 5;
/** A time that passed while nobody was there is made up for only if it is not older. */
const atMostLateMs = 60_000;

/** Starts one instance for each time of the schedule, as its overlap says while one runs, and each once whatever crashes. */
export function planCron(
  key: string,
  process: Process,
  workload: Workload,
  label: string,
  instances: readonly Seen[],
  schedule: Schedule,
  now: number,
): ProcessPlan {
  const due = lastDue(process, now);
  const late = due === undefined || now - due >= atMostLateMs || due <= schedule.from || due === schedule.skipped;
  const id = due === undefined || late ? undefined : idOf(key, process.name, due);
  const unfinished = instances.filter(isUnfinished);
  const { overlap = 'skip' } = process;
  const actions: Action[] = [];
  if (id !== undefined && due !== undefined && process.replicas > 0 && !instances.some((seen) => seen.id === id)) {
    if (unfinished.length > 0 && overlap === 'skip') actions.push({ do: 'skip', key, process, due });
    else actions.push({ do: 'add', key, label, process, workload, id });
    if (overlap === 'replace') actions.push(...unfinished.map((seen): Action => ({ do: 'retire', id: seen.id })));
  }
  for (const seen of instances) {
    if (seen.busy || seen.retired) continue;
    if (seen.state === 'ended' && seen.run > 0) actions.push({ do: 'retire', id: seen.id });
    else if (seen.state !== 'running') {
      // The due time passed before this instance could be started, so it never will be.
      if (overlap === 'replace' && instances.some((one) => one !== seen && one.state === 'running')) continue;
      if (seen.state === 'created' && seen.id !== id && now - seen.since >= atMostLateMs)
        actions.push({ do: 'retire', id: seen.id });
      else if (now >= seen.notBefore)
        actions.push({ do: seen.state === 'preparing' ? 'create' : 'start', id: seen.id });
    }
  }
  const failed = unfinished.find((seen) => seen.refused !== undefined || (seen.state !== 'running' && seen.message));
  return {
    actions: [...actions, ...endings(instances, keptEnded, now)],
    inEffect: true,
    ...(failed === undefined ? {} : { error: failed.refused ?? `${failed.id} cannot be run yet: ${failed.message}` }),
  };
}

/** A run that is to be, or is. */
export function isUnfinished({ retired, state, run }: Seen): boolean {
  return !retired && !(state === 'ended' && run > 0);
}

/** Derived from the time it is due, or from the command that asked for it, so that two agents, one after the other, cannot run it twice. */
export function idOf(key: string, process: string, due: number | string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([key, process, due]))
    .digest();
  const part = (hash.readBigUInt64BE() % 36n ** 8n).toString(36).padStart(8, '0');
  return `${process}-${part}`;
}

function lastDue(process: Process, now: number): number | undefined {
  const cron = new Cron(process.schedule ?? '', { timezone: process.timeZone, mode: '5-part', paused: true });
  return cron.previousRuns(1, new Date(now + 1))[0]?.getTime();
}
