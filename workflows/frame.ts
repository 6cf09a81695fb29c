import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  patched,
  proxyActivities,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { ActorActivities } from '../activities/actor.ts';
import type { HistoryActivities } from '../activities/history.ts';
import type { ActorInput, RowSays } from '../domain/actors/actor-descriptor.ts';
import type { ActorKind } from './descriptors.ts';
import type { Post } from './mailbox.ts';

const patience = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

const { claimActor, reportUnreadable } = proxyActivities<ActorActivities>({
  startToCloseTimeout: '10s',
  retry: patience,
});
const { archiveRun } = proxyActivities<HistoryActivities>({ startToCloseTimeout: '5m', retry: patience });

/** With room for what comes while it goes on: no run is to have more than 2,000. */
const defaultEventsPerRun = 1_500;
/** So many times as long a run may become while the one before it cannot be archived. */
const patienceWithArchive = 10;

/** Why an actor that lives once ends without having done its work. */
export interface Interruption {
  by: 'operator' | 'failure' | 'lost run';
  /** The reason of a failure; how a lost run ended. */
  why: string;
}

/** The message of an actor that ended so; its descriptor has the one of a lost run. */
export function sentenceOf({ by, why }: Interruption, lost: (how: string) => string): string {
  if (by === 'operator') return 'It was cancelled by an operator.';
  return by === 'failure' ? `It failed: ${why}` : lost(why);
}

/** The parts of a kind that the frame needs. */
export interface Framed<End extends string, Input extends ActorInput> {
  kind: ActorKind;
  rowId: string;
  organizationId: string;
  input: Input;
  mailbox: Post;
  /** The input of a run that continues from here, with state, revision and the ids of messages heard. */
  now(): Input;
  /** From the claim of its row to its end. */
  live(frame: Frame): Promise<End>;
  /** The last word of an actor that lives once. Cancelling does not reach it. An actor for ever has none. */
  fail?(interruption: Interruption): Promise<End>;
}

export interface Frame {
  /** Whether the actor has to attend to something beside its messages. */
  readonly isDue: boolean;
  /** Tells of messages that cannot be read, looks at the row if that was asked for, begins a new run if this one is long. */
  attend(): Promise<void>;
  /** The row is ahead of this actor, or somebody else has ended it: the row counts. */
  obey(row: RowSays): Promise<void>;
  /** Resolves when the runs before this one are in the archive. */
  archived(): Promise<void>;
}

/** The row is final: the actor ends with its state and without effects. */
class RowIsOver extends Error {
  readonly state: string;
  constructor(state: string) {
    super(`The row is ${state}.`);
    this.state = state;
  }
}

/**
 * The outermost frame of every actor. It claims the row first, ends one that lives once with a final state, and keeps one
 * that lives for ever from ending by an error. An error that is not Temporal's is one of the program: rethrown before
 * anything is awaited, it fails the task and not the workflow, and the mended program goes on from there.
 */
export async function actorFrame<End extends string, Input extends ActorInput>(
  actor: Framed<End, Input>,
): Promise<End> {
  const { kind, rowId, organizationId, input, mailbox, fail } = actor;
  const { eventsPerRun = defaultEventsPerRun } = input;
  const runBefore = workflowInfo().continuedFromExecutionRunId;
  const unarchived = [...(input.unarchived ?? []), ...(runBefore === undefined ? [] : [runBefore])];
  // Runs that 0.1.0 began have not claimed their rows.
  const framed = patched('actor-frame');
  // Beside all the rest: a history that cannot be fetched for a while must not keep the actor from living.
  const archiving = CancellationScope.nonCancellable(() => archiveRunsBefore()).catch((error: unknown) => {
    if (!(error instanceof TemporalFailure)) throw error;
    log.error('The history of a run before this one is not archived', { why: reason(error) });
  });

  const frame: Frame = {
    get isDue() {
      return mailbox.hasUnreadable || mailbox.askedToLook || runIsFull();
    },
    async attend() {
      await tellUnreadable();
      if (mailbox.askedToLook) await lookAtRow(true);
      // Where messages never stop coming, there is no moment without any: a new run takes along what waits.
      if (runIsFull() && (mailbox.isEmpty || patched('takes-along-what-waits'))) await goOn(actor.now());
    },
    async obey({ state, over, ahead }) {
      if (over === true) throw new RowIsOver(state);
      // The descriptor of the kind made it of the row.
      if (ahead !== undefined) await goOn(ahead as Input);
    },
    archived: () => archiving,
  };

  try {
    // Cancelling an actor that lives for ever is no way to end it.
    const end = fail === undefined ? await CancellationScope.nonCancellable(() => live()) : await live();
    await CancellationScope.nonCancellable(() => settle());
    return end;
  } catch (error) {
    if (error instanceof RowIsOver) {
      await CancellationScope.nonCancellable(() => settle());
      return error.state as End;
    }
    if (!(error instanceof TemporalFailure)) throw error;
    const why = reason(error);
    if (fail === undefined) {
      log.error('The actor met a failure; it goes on in a new run', { why });
      return await CancellationScope.nonCancellable(async () => {
        await sleep('1 minute');
        return await goOn(actor.now());
      });
    }
    await CancellationScope.nonCancellable(async () => {
      await fail({ by: isCancellation(error) ? 'operator' : 'failure', why });
      await settle();
    });
    throw isCancellation(error) ? error : ApplicationFailure.fromError(error, { nonRetryable: true });
  }

  async function live(): Promise<End> {
    if (framed) await lookAtRow(false);
    if (input.interrupted !== undefined && fail !== undefined) {
      const why = input.interrupted;
      return await CancellationScope.nonCancellable(() => fail({ by: 'lost run', why }));
    }
    return await actor.live(frame);
  }

  /** `anew`: whatever the row says, it counts more than what this actor knows. */
  async function lookAtRow(anew: boolean): Promise<void> {
    const revision = anew ? -1 : (input.revision ?? 0);
    await frame.obey(await claimActor({ kind, rowId, revision }));
  }

  /** Nothing of this run, or of those before it, is under way any more. */
  async function settle(): Promise<void> {
    await archiving;
    await condition(allHandlersFinished);
  }

  async function tellUnreadable(): Promise<void> {
    for (let next = mailbox.nextUnreadable(); next !== undefined; next = mailbox.nextUnreadable()) {
      log.error('A message cannot be read; it is skipped', { ...next });
      if (patched('tells-of-unreadable-messages')) await reportUnreadable(next);
    }
  }

  /** Whether the next message is better heard in a new run. While the run before is not archived, that has time. */
  function runIsFull(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (unarchived.length > 0) return historyLength >= patienceWithArchive * eventsPerRun;
    return historyLength >= eventsPerRun || continueAsNewSuggested;
  }

  /** Messages that were taken and are not in the row yet stand first in the input that is given. */
  async function goOn(next: Input): Promise<never> {
    await condition(allHandlersFinished);
    const waiting = [...(next.waiting ?? []), ...mailbox.waiting];
    const { interrupted: _, ...rest } = next;
    const inTests = input.eventsPerRun === undefined ? {} : { eventsPerRun };
    return await continueAsNew({ ...rest, ...inTests, waiting, unarchived });
  }

  async function archiveRunsBefore(): Promise<void> {
    for (let runId = unarchived[0]; runId !== undefined; runId = unarchived[0]) {
      await archiveRun({ organizationId, runId });
      unarchived.shift();
    }
  }
}

function reason(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message;
}
