import type { AnswerFault } from '../../../domain/deployments/answer-faults.ts';
import type { Listening } from '../../../domain/deployments/listening.ts';
import type { Slice } from '../../../protocol/desired.ts';
import type { Workload } from '../../../protocol/workload.ts';
import type { Exit, Instance } from '../../drivers/driver.ts';
import type { Crashes } from './crash-loop.ts';

/** One instance with all that a decision about it rests on. */
export interface Seen {
  id: string;
  key: string;
  /** Release name and fingerprint of every setting in effect for the instance. */
  label: string;
  process: Instance['process'];
  /** preparing: decided on, and not made yet. */
  state: 'preparing' | Instance['state'];
  run: number;
  startedAt?: number;
  address?: { host: string; port: number };
  exit?: Exit;
  memoryBytes?: number;
  /** Something is being done to it just now: it is left alone until that is over. */
  busy: boolean;
  /** Decided to end: gets no requests any more, and is never started again. */
  retired: boolean;
  /** Past its startup check. */
  started: boolean;
  ready: boolean;
  /** Ready at some time in this run. */
  wasReady: boolean;
  /** Since when it is ready, or since when it is not. */
  since: number;
  /** Not to be tried before. */
  notBefore: number;
  /** Why it cannot be made or started as it is; tried again now and then, since what it needs may be mended. */
  refused?: string;
  /** The reason why only a restart can help, from a startup or liveness check. */
  sick?: string;
  /** The last message about the instance, from a check or from a failed action. */
  message?: string;
  /** Where it listens instead of where it is asked; of a run that has ended, when that was looked at last. */
  listening?: Listening;
  /** The setting that does not fit, if its last answer to a check shows one. */
  answer?: AnswerFault;
  crashes?: Crashes;
  /** Of what it was made from, once that is known. */
  imageDigest?: string;
}

/** The desired state of one workload. `workload` is undefined if it could not be delivered. */
export interface DesiredSlice {
  key: string;
  revision: number;
  workload?: Slice['workload'] | undefined;
  broken?: string | undefined;
}

export type Action =
  | { do: 'add'; key: string; label: string; process: Workload['processes'][number]; workload: Workload; id?: string }
  | { do: 'create'; id: string }
  | { do: 'start'; id: string }
  /** Ends the run of an instance that only a restart can help; the next run follows. */
  | { do: 'stop'; id: string; graceSeconds: number; why: string }
  | { do: 'retire'; id: string }
  | { do: 'drain'; id: string; seconds: number }
  | { do: 'remove'; id: string }
  | { do: 'skip'; key: string; process: Workload['processes'][number]; due: number };

/** A process that is not asked anything counts as soon as it runs. */
export function isAsked(process: Seen['process']): boolean {
  return process.checks.readiness !== undefined || process.port !== undefined;
}

/** Ready, and for long enough to be relied upon. */
export function isStable(seen: Seen, now: number): boolean {
  return isServing(seen) && now - seen.since >= seen.process.stabilizationSeconds * 1000;
}

export function isServing(seen: Seen): boolean {
  return seen.state === 'running' && seen.ready && !seen.retired && seen.sick === undefined;
}

/** The reason why an instance is not ready, as far as it is known. */
export function whyOf(seen: Seen): string {
  if (seen.refused !== undefined) return seen.refused;
  const ended = seen.exit === undefined ? undefined : `Its last run ended ${howOf(seen.exit)}.`;
  return seen.message ?? ended ?? 'No reason was reported.';
}

export function howOf({ code, signal }: Exit): string {
  if (signal !== undefined) return `by ${signal}`;
  return code === undefined ? 'while nobody saw it' : `with exit code ${code}`;
}
