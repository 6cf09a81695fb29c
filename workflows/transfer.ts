import { condition, defineQuery, log, setHandler } from '@temporalio/workflow';
import type { CommandEnded } from '../domain/clusters/clusters.ts';
import {
  type FinalTransferState,
  isTransferOver,
  type TransferInput,
  type TransferSays,
  type TransferState,
} from '../domain/volume-backups/states.ts';
import { begin, type Commanded, commandedMessages, type Deed, hear, next } from './commanded.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from './frame.ts';
import { Mailbox } from './mailbox.ts';
import { showPhase } from './phase.ts';

/** The actor of a backup or a restore, and the answer to the query `view`. */
export type TransferActor = Commanded<TransferState>;

type End = { state: FinalTransferState; message: string };

/** What makes a backup and a restore different. */
export interface Transfer<Input extends TransferInput> {
  kind: 'volume-backup' | 'volume-restore';
  rowId: string;
  input: Input;
  interrupted: (how: string) => string;
  claim(revision: number): Promise<TransferSays & { ended: CommandEnded | null }>;
  stop(): Promise<void>;
  finish(end: End & { revision: number; lastWord?: boolean }): Promise<TransferSays>;
  /** Why what the agent calls done is not, in a sentence. */
  confirm?(): Promise<string | undefined>;
  /** Once it has not succeeded. */
  clear?(): Promise<void>;
}

export const view = defineQuery<TransferActor>('view');

/** A message may be lost with a database that is restored, and a cluster comes back without a word to those who wait for it. */
const claimedAgainAfter = '2 minutes';

/** From its place in the queue to its end: it waits for its turn, has an agent asked, and hears how that went. */
export async function transferActor<Input extends TransferInput>(transfer: Transfer<Input>): Promise<TransferState> {
  const { kind, rowId, input } = transfer;
  const { organizationId } = input;
  const mailbox = new Mailbox(commandedMessages, input.waiting);
  let actor: TransferActor = begin(input);
  setHandler(view, () => listen());
  return await actorFrame<TransferState, Input>({
    ...{ kind, rowId, organizationId, input, mailbox, live, fail },
    now: nextInput,
  });

  async function live(frame: Frame): Promise<TransferState> {
    while (!isTransferOver(actor.phase)) {
      const deed = next(listen());
      if (deed !== undefined) await perform(deed, frame);
      else {
        const waits = () => frame.isDue || next(listen()) !== undefined;
        // The command's end is always told; a place that has become free need not be.
        if (actor.phase === 'running') await condition(waits);
        else if (!(await condition(waits, claimedAgainAfter))) actor = { ...actor, called: true };
        await frame.attend();
      }
    }
    return actor.phase;
  }

  async function perform(deed: Deed, frame: Frame): Promise<void> {
    const revision = actor.revision + 1;
    if (deed === 'stop') {
      actor = { ...actor, stopping: true };
      await transfer.stop();
    } else if (deed === 'claim') {
      actor = { ...actor, called: false };
      const claimed = await transfer.claim(revision);
      await adopt(frame, claimed);
      actor = { ...actor, ended: actor.ended ?? claimed.ended };
    } else if (deed === 'cancel') {
      await adopt(frame, await transfer.finish({ revision, ...endOf(kind, { state: 'cancelled', message: null }) }));
    } else if (actor.ended !== null) {
      let end = endOf(kind, actor.ended);
      const fault = end.state === 'succeeded' ? await transfer.confirm?.() : undefined;
      if (fault !== undefined) end = { state: 'failed', message: fault };
      await adopt(frame, await transfer.finish({ revision, ...end }));
      // Afterwards: people need not wait for a store that is away to read that it failed.
      if (end.state !== 'succeeded') await transfer.clear?.();
    }
  }

  async function adopt(frame: Frame, row: TransferSays): Promise<void> {
    await frame.obey(row);
    const { state, revision } = row;
    if (state !== actor.phase) showPhase(state);
    actor = { ...actor, phase: state, revision };
  }

  function listen(): TransferActor {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
    return actor;
  }

  function nextInput(): Input {
    const { phase, revision, cancelling, heard } = listen();
    return { ...input, state: phase, revision, cancelRequested: cancelling, heard: [...heard] };
  }

  async function fail(interruption: Interruption): Promise<TransferState> {
    const message = sentenceOf(interruption, transfer.interrupted);
    log.error('The transfer ends as failed', { message });
    await transfer.stop();
    const last = { revision: actor.revision + 1, state: 'failed' as const, message, lastWord: true };
    return (await transfer.finish(last)).state;
  }
}

const words = {
  'volume-backup': { noun: 'backup', again: 'back up again' },
  'volume-restore': { noun: 'restore', again: 'look at the data of the volume, then restore again' },
};

/** The end that follows from what the agent told, and the sentence of one that did not succeed. */
export function endOf(kind: Transfer<TransferInput>['kind'], { state, message }: CommandEnded): End {
  const { noun, again } = words[kind];
  const failed = (why: string): End => ({ state: 'failed', message: why });
  switch (state) {
    case 'done':
      return { state: 'succeeded', message: '' };
    case 'cancelled':
      return { state: 'cancelled', message: message ?? `The ${noun} was cancelled.` };
    case 'failed':
      return failed(message ?? `The agent could not do the ${noun} and did not say why.`);
    case 'expired':
      return failed(`The agent did not take the ${noun} in time; request it again when it is in contact.`);
    case 'lost':
      return failed(`The agent lost contact in the ${noun} and did not come back; ${again}.`);
    default:
      return failed(`The agent was interrupted in the ${noun}; ${again}.`);
  }
}
