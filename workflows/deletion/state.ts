import { commandStates } from '../../domain/clusters/clusters.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, nullable, oneOf, text } from '../parse.ts';
import type { DeletionInput, DeletionState as Phase } from './descriptor.ts';

export const deletionMessages = {
  /** Somebody has restored it: the row says so already. */
  restored: fields({}),
  /** Somebody does not want to wait: the row's `restore_until` has been set to now. */
  purgeNow: fields({}),
  /** An agent has deleted data of it, or could not. */
  commandFinished: fields({ state: oneOf(...commandStates), message: nullable(text) }),
} satisfies Messages;
export type DeletionMessage = MessageOf<typeof deletionMessages>;

/** The answer to the query `view`. */
export interface DeletionView {
  phase: Phase;
  restoreUntil: string;
  /** Rows deleted so far. */
  deletedRows: number;
}

/** State of a deletion. `revision` grows with each phase and guards the row against an older writer. */
export interface DeletionState {
  phase: Phase;
  revision: number;
  /** Epoch milliseconds. */
  restoreUntil: number;
  heard: readonly string[];
  wantsPurge: boolean;
  deletedRows: number;
  /** Something that the purge waits for may have ended. */
  stirred: boolean;
  /** Something has ended of what the purge waited for. */
  progressed: boolean;
  /** Between two attempts to purge, in milliseconds. */
  pause: number;
  /** The reason that the last attempt gave. */
  waits: string;
}

const remembered = 200;

/** Milliseconds. */
const shortestPause = 5_000;
const longestPause = 3_600_000;

const transitions: Readonly<Record<Phase, readonly Phase[]>> = {
  retained: ['purging', 'purged', 'restored', 'failed'],
  purging: ['purged', 'restored', 'failed'],
  purged: [],
  restored: [],
  failed: [],
};

export function begin(input: DeletionInput): DeletionState {
  return {
    phase: input.state ?? 'retained',
    revision: input.revision ?? 0,
    restoreUntil: Date.parse(input.restoreUntil),
    heard: input.heard ?? [],
    wantsPurge: input.purgeRequested ?? false,
    deletedRows: 0,
    stirred: false,
    progressed: false,
    pause: shortestPause,
    waits: '',
  };
}

/** Decisions are final: a message that comes twice, or too late to matter, changes nothing. */
export function hear(state: DeletionState, { message, told }: DeletionMessage): DeletionState {
  if (state.heard.includes(told.id)) return state;
  const heard = [...state.heard, told.id].slice(-remembered);
  if (message === 'commandFinished') {
    return { ...state, heard, stirred: true, progressed: state.progressed || told.body.state === 'done' };
  }
  if (state.phase !== 'retained') return { ...state, heard };
  return message === 'restored' ? enter({ ...state, heard }, 'restored') : { ...state, heard, wantsPurge: true };
}

/**
 * The purge was attempted and has to wait; `fired`: the pause before it had passed. The next one starts again at its least after
 * progress, in an answer or in what is waited for, and grows when it has passed without any. An answer alone leaves it as it is.
 */
export function wait(state: DeletionState, { waits, fired }: { waits: string; fired: boolean }): DeletionState {
  const progressed = state.progressed || (fired && waits !== state.waits);
  const grown = fired ? Math.min(2 * state.pause, longestPause) : state.pause;
  return { ...state, waits, progressed: false, pause: progressed ? shortestPause : grown };
}

/** The next phase. A final one is never left. */
export function enter(state: DeletionState, phase: Phase): DeletionState {
  if (!transitions[state.phase].includes(phase)) return state;
  return { ...state, phase, revision: state.revision + 1 };
}

/** How long it is still kept; nothing once somebody has decided, or its time has passed. */
export function remaining(state: DeletionState, now: number): number {
  return state.phase !== 'retained' || state.wantsPurge ? 0 : Math.max(0, state.restoreUntil - now);
}

/** The row's clock says that the time has not passed yet, whatever ours says. */
export function postpone(state: DeletionState, restoreUntil: number): DeletionState {
  return { ...state, restoreUntil, wantsPurge: false };
}

/** The input of a run that continues from here. */
export function inputFrom(input: DeletionInput, state: DeletionState): DeletionInput {
  return {
    deletionId: input.deletionId,
    organizationId: input.organizationId,
    ...(input.thing === undefined ? {} : { thing: input.thing }),
    state: state.phase,
    revision: state.revision,
    restoreUntil: new Date(state.restoreUntil).toISOString(),
    purgeRequested: state.wantsPurge,
    heard: [...state.heard],
  };
}

export function viewOf(state: DeletionState): DeletionView {
  return {
    phase: state.phase,
    restoreUntil: new Date(state.restoreUntil).toISOString(),
    deletedRows: state.deletedRows,
  };
}
