import type { ReleaseCommand, Workload } from '../../../protocol/workload.ts';
import { crashText } from '../observe/crash-loop.ts';
import type { Action, Seen } from '../observe/seen.ts';
import { failureFrom, faultOf, type Judged } from './judge-rollout.ts';
import { labelOf } from './label.ts';
import type { Machine } from './machine.ts';
import { idOf } from './plan-cron.ts';
import { endings, goOn } from './plan-process.ts';
import { advanced, isSwitched, type RolloutRecord, type Target, told } from './rollout-record.ts';

export const commandName = 'release-command';
const keptEnded = 5;
const graceSeconds = 10;
const prepareSeconds = 300;

const mayHaveRun =
  'It may have run, in part or to its end: look at what it did, then rerun the deployment with it or without it.';

type Verdict = Judged & { actions: Action[] };
type Why = NonNullable<NonNullable<RolloutRecord['rollout']['failure']>['releaseCommand']>;

/** An instance that ran, or is to run, a release command: it has neither a time nor a place among the processes. */
export function isReleaseCommand({ process }: Pick<Seen, 'process'>): boolean {
  return process.name === commandName && process.kind === 'cron' && process.schedule === undefined;
}

/** What comes before new instances are started. Nothing: they may be. */
export function planCommand(
  machine: Machine,
  target: Target,
  record: RolloutRecord,
  commands: readonly Seen[],
  owners: ReadonlyMap<string, string>,
): Verdict | undefined {
  const { releaseCommand } = target.workload.rollout;
  if (releaseCommand === undefined || record.command === 'ended') return undefined;
  const id = commandIdOf(target);
  const own = commands.find((seen) => seen.id === id);
  if (record.command !== undefined) return follow(machine, record, releaseCommand, own);
  const fault = faultOf(machine, target, owners);
  if (fault !== undefined) {
    const { process, message } = fault;
    return { verdict: 'failed', message, failure: { process, lines: [] }, record, actions: [] };
  }
  const another = releaseCommand.journal !== undefined && releaseCommand.journal !== machine.journal;
  if (another || machine.isForgotten(target.key) || (own !== undefined && own.run > 0)) {
    const reached = advanced(record, 'releasing', machine.now);
    return failed(reached, own, 'unknown', `What this machine knew of the release command was lost. ${mayHaveRun}`);
  }
  const open = (message: string | undefined, ...actions: Action[]): Verdict => ({
    ...{ verdict: 'open', record: told(record, message), actions },
  });
  const before = commands.find((seen) => seen.id !== id && (seen.state === 'running' || seen.busy));
  if (before !== undefined) return open(`The release command waits until ${before.id}, an earlier one, has ended.`);
  return prepare(machine, target, record, own, open);
}

/** Instances of release commands that are over end, and the last ones are kept for their logs. */
export function endCommands(
  target: Target,
  { command, rollout, ...record }: RolloutRecord,
  commands: readonly Seen[],
  now: number,
): Action[] {
  const over = command === 'ended' || rollout.phase === 'returned' || isSwitched({ ...record, rollout });
  const past = over ? commands : commands.filter(({ id }) => id !== commandIdOf(target));
  const retire = past.filter(({ retired }) => !retired).map(({ id }): Action => ({ do: 'retire', id }));
  return [...retire, ...endings(past, keptEnded, now)];
}

function prepare(
  { now }: Machine,
  { key, workload }: Target,
  record: RolloutRecord,
  own: Seen | undefined,
  open: (message: string | undefined, ...actions: Action[]) => Verdict,
): Verdict {
  const process = processOf(workload);
  const id = commandIdOf({ key, workload });
  if (own === undefined) {
    const label = labelOf(workload, process, undefined);
    return open(undefined, { do: 'add', key, label, process, workload, id });
  }
  if (own.state === 'created') {
    if (own.busy || now < own.notBefore) return open(own.message);
    const begun: RolloutRecord = { ...advanced(record, 'releasing', now), command: 'begun' };
    return { verdict: 'open', record: begun, actions: [{ do: 'start', id }] };
  }
  const why = own.message === undefined ? undefined : `The release command cannot be started yet: ${own.message}`;
  if (own.refused !== undefined) return failed(record, own, 'not-started', own.refused);
  if (now - (record.progress?.at ?? now) <= prepareSeconds * 1000) return open(why, ...goOn(own, now));
  const late = `The release command could not be prepared within ${prepareSeconds} s`;
  return failed(record, own, 'not-started', `${late}: ${own.message ?? 'its image is not there.'}`);
}

/** It was begun: it ends, or nobody knows; it is never started again. */
function follow(
  { now, lastLines }: Machine,
  record: RolloutRecord,
  { timeoutSeconds }: ReleaseCommand,
  own: Seen | undefined,
): Verdict {
  const interrupted = `The agent or its machine was interrupted while the release command ran. ${mayHaveRun}`;
  if (own === undefined || own.state === 'preparing') return failed(record, own, 'unknown', interrupted);
  if (own.busy) return { verdict: 'open', record, actions: [] };
  if (own.state === 'running') {
    const since = own.startedAt ?? own.since;
    if (record.command === 'begun' && now - since <= timeoutSeconds * 1000)
      return { verdict: 'open', record, actions: [] };
    const stop: Action = { do: 'stop', id: own.id, graceSeconds, why: `It took longer than ${timeoutSeconds} s.` };
    return { verdict: 'open', record: { ...record, command: 'late' }, actions: now < own.notBefore ? [] : [stop] };
  }
  if (own.state === 'created') {
    if (own.message === undefined) return failed(record, own, 'unknown', interrupted);
    return failed(record, own, 'exit', `The release command could not be started: ${own.message}`);
  }
  const { exit } = own;
  if (record.command === 'begun' && exit?.code === 0 && exit.signal === undefined) {
    const { progress: _, ...ended } = advanced(record, 'starting', now);
    return {
      ...{ verdict: 'open', actions: [] },
      record: { ...ended, command: 'ended', progress: { ready: 0, stable: 0, at: now } },
    };
  }
  const lines = lastLines(own.id);
  if (lines === undefined) return { verdict: 'failing', instance: own.id, record, actions: [] };
  if (record.command === 'late') {
    const message = `The release command did not end within ${timeoutSeconds} s and was ended.`;
    return failed(record, own, 'timed-out', message, lines);
  }
  if (exit === undefined || (exit.code === undefined && exit.signal === undefined))
    return failed(record, own, 'unknown', interrupted, lines);
  return failed(record, own, 'exit', `The release command ${crashText(exit)}.`, lines);
}

function failed(
  record: RolloutRecord,
  own: Seen | undefined,
  why: Why,
  message: string,
  lines: readonly string[] = [],
): Verdict {
  const known = own === undefined ? { process: commandName, lines: [] } : failureFrom(own, lines);
  return { verdict: 'failed', message, failure: { ...known, releaseCommand: why }, record, actions: [] };
}

/** Two agents, one after the other, have the same instance for it. */
function commandIdOf({ key, workload }: Pick<Target, 'key' | 'workload'>): string {
  return idOf(key, commandName, workload.rollout.id);
}

/** Image, variables, network and user are those of the release; volumes belong to processes. */
function processOf({ rollout, processes }: Target['workload']): Workload['processes'][number] {
  const users = new Set(processes.map(({ runAsUser }) => runAsUser));
  const [runAsUser] = users.size === 1 ? users : [];
  return {
    ...{ name: commandName, kind: 'cron', command: rollout.releaseCommand?.command ?? [], args: [] },
    ...{ upstream: 'http1', replicas: 1, timeZone: 'UTC', checks: {}, mounts: [] },
    ...{ drainSeconds: graceSeconds, stabilizationSeconds: 0, readyWithinSeconds: prepareSeconds },
    ...(runAsUser === undefined ? {} : { runAsUser }),
  };
}
