import { heartbeat } from '@temporalio/activity';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { noteAttempt, secretOf } from '../../db/notification-channels/notification-channels.ts';
import {
  type Outcome,
  type Outgoing,
  type OutgoingKind,
  outgoing,
  type Written,
  writeOutgoing,
} from '../../db/notification-channels/outgoing.ts';
import { startDeliveries } from '../../db/notification-channels/tell-channels.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Secrets } from '../../db/workloads/sealed-workload.ts';
import type { AttemptSays } from '../../domain/actors/actors.ts';
import { consolePath } from '../../domain/notifications/console-path.ts';
import { gaveUpSentence, mostAttempts, retryingSentence, waitAfter } from '../../domain/notifications/retries.ts';
import type { AttemptAnswer } from '../../outbound/channels/attempt.ts';
import type { ChannelMessage } from '../../outbound/channels/message.ts';
import { actorAuthor } from '../caller.ts';
import type { Turns } from './turns.ts';

export interface AttemptParts {
  database: Database;
  keyring: Secrets;
  /** Of the console. */
  publicUrl: string;
  turns: Turns;
}

const beatMillis = 2_000;
/** So often it is asked whether a deleted organization was restored. */
const heldMillis = 900_000;

/** A row that is told to its channel, and the revision that its actor knows. */
export interface Attempt {
  organizationId: string;
  id: string;
  revision: number;
}

/** What a kind of actor does with its attempts. */
export interface Attempted<State extends string> {
  kind: OutgoingKind;
  gone: State;
  /** Nothing is to be sent now: it waits for a message. */
  rests?(row: Outgoing): boolean;
  send(row: Outgoing, secret: string, message: ChannelMessage): Promise<AttemptAnswer>;
  /** After an attempt that arrived: `waitSeconds` is 0 where something else follows at once. */
  arrived(row: Outgoing): Pick<Outcome, 'state' | 'over'> & Partial<Outcome>;
  /** The state while it is retried. */
  retrying(row: Outgoing): State;
}

export type Says<State extends string> = AttemptSays<State> & { error?: string; busy?: true; held?: true };

/**
 * One attempt, and what follows from it, in the row. An attempt whose answer was lost with its worker is made again; one that
 * the row shows already is not. No transaction is open while the other side is waited for.
 */
export async function attempt<State extends string>(
  parts: AttemptParts,
  of: Attempted<State>,
  attempted: Attempt,
): Promise<Says<State>> {
  const { database, keyring, publicUrl, turns } = parts;
  const { organizationId, revision } = attempted;
  const row = await outgoing(database.kysely, of.kind, attempted);
  if (row === undefined) return { state: of.gone, revision, waitMillis: null };
  if (row.finished || row.revision !== revision || of.rests?.(row) === true) return says(row);
  const { channel, message, organization } = row;
  // Of a deleted organization nothing goes out. It can be restored, and then an incident must still be resolved.
  if (organization.deleted) return { ...says<State>(row), waitMillis: heldMillis, held: true };
  const secret = channel.enabled ? await secretOf(database.kysely, keyring, organizationId, channel.id) : undefined;
  if (secret === undefined) return await conclude(database, of, attempted, 'dropped');
  const turn = turns.take(channel.id, channel.failing);
  if ('waitMillis' in turn) return { ...says<State>(row), waitMillis: turn.waitMillis, busy: true };
  // A worker that was killed is noticed sooner than by the time that an attempt may take.
  const beating = setInterval(heartbeat, beatMillis);
  try {
    const link = new URL(consolePath(organization.slug, message.link), publicUrl).href;
    const answer = await of.send(row, secret, { ...message, link });
    return await conclude(database, of, attempted, answer, channel.secretVersion);
  } finally {
    clearInterval(beating);
    turn.giveBack();
  }
}

/** The last word of an actor that was interrupted. */
export async function failAttempts<State extends string>(
  { database }: Pick<AttemptParts, 'database'>,
  of: Attempted<State>,
  ref: Omit<Attempt, 'revision'>,
  message: string,
): Promise<{ state: State }> {
  return await effect(database, actorAuthor(), async (failing) => {
    const row = await outgoing(failing.kysely, of.kind, ref, { locked: true });
    if (row === undefined) return { state: of.gone };
    if (row.finished) return { state: row.state as State };
    const written = await write<State>(failing, of.kind, ref, row, {
      ...{ state: 'failed', over: true, attempts: row.attempts, waitSeconds: null, error: message },
    });
    await startDeliveries(failing, ref.organizationId, row.channel.id);
    return written;
  });
}

/** Writes the outcome, unless somebody has written to the row since: then that counts. */
async function conclude<State extends string>(
  database: Database,
  of: Attempted<State>,
  attempted: Attempt,
  answer: AttemptAnswer | 'dropped',
  secretVersion: string | null = null,
): Promise<Says<State>> {
  return await effect(database, actorAuthor(), async (concluding) => {
    const row = await outgoing(concluding.kysely, of.kind, attempted, { locked: true });
    if (row === undefined) return { state: of.gone, revision: attempted.revision, waitMillis: null };
    if (row.finished || row.revision !== attempted.revision) return says(row);
    // Failed with a secret that was replaced meanwhile: that says nothing of the new one, which is tried at once.
    const failed = answer !== 'dropped' && answer.outcome !== 'delivered';
    if (failed && row.channel.secretVersion !== secretVersion) return { ...says<State>(row), waitMillis: 0 };
    const outcome = outcomeOf(of, row, answer);
    const written = await write<State>(concluding, of.kind, attempted, row, outcome);
    // After its own row: while others are retried the channel keeps their error.
    if (answer !== 'dropped') {
      const { organizationId } = attempted;
      const noted = outcome.error === null ? 'delivered' : { error: outcome.error };
      await noteAttempt(concluding, organizationId, row.channel.id, noted);
    }
    if (outcome.over) await startDeliveries(concluding, attempted.organizationId, row.channel.id);
    return written;
  });
}

function outcomeOf<State extends string>(
  of: Attempted<State>,
  row: Outgoing,
  answer: AttemptAnswer | 'dropped',
): Outcome {
  if (answer === 'dropped') {
    const error = row.channel.deleted ? 'The channel was deleted.' : 'The channel is disabled.';
    return { state: 'dropped', over: true, attempts: row.attempts, waitSeconds: null, error };
  }
  if (answer.outcome === 'delivered')
    return { attempts: row.attempts + 1, waitSeconds: null, error: null, ...of.arrived(row) };
  const attempts = row.attempts + 1;
  if (answer.outcome === 'ended' || attempts >= mostAttempts) {
    return { state: 'failed', over: true, attempts, waitSeconds: null, error: gaveUpSentence(answer.error, attempts) };
  }
  const waitSeconds = waitAfter(attempts, answer.retryAfterSeconds);
  const error = retryingSentence(answer.error, attempts, waitSeconds);
  return { state: of.retrying(row), over: false, attempts, waitSeconds, error };
}

async function write<State extends string>(
  effect: Effect,
  kind: OutgoingKind,
  ref: Omit<Attempt, 'revision'>,
  row: Outgoing,
  outcome: Outcome,
): Promise<Says<State>> {
  const written = await writeOutgoing(effect.kysely, kind, ref, outcome);
  effect.change({ organizationId: ref.organizationId, kind: 'notification_channel', id: row.channel.id });
  return says(written);
}

/** A row that waits for no time waits for a message, unless something is to be sent at once. */
function says<State extends string>({ state, revision, waitMillis, error }: Written): Says<State> {
  return {
    ...{ state: state as State, revision, waitMillis: waitMillis === null ? null : Math.max(0, Math.ceil(waitMillis)) },
    ...(error === null ? {} : { error }),
  };
}
