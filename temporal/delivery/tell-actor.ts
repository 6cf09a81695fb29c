import { WorkflowNotFoundError } from '@temporalio/client';
import type { Kysely } from 'kysely';
import type { OutboxEntry } from '../../db/engine/outbox.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { type ActorKind, actorOf } from '../../workflows/descriptors.ts';
import type { Temporal } from '../connection/connect.ts';
import { startActor } from './start-actor.ts';

/** How it went: `dropped` because the actor's row is final, so that there is nobody left to tell. */
export type DeliveryOutcome = 'started' | 'already started' | 'signalled' | 'dropped';

/** Starts or signals the actor of one outbox entry. Whatever it throws means: not told, try again. */
export async function tellActor(
  temporal: Temporal,
  kysely: Kysely<Tables>,
  entry: OutboxEntry,
): Promise<DeliveryOutcome> {
  const actor = actorOf(entry.actorId);
  if (!actor) throw new Error(`${entry.actorId} is not the id of an actor of this version.`);
  if (entry.message !== null) return signal(temporal, kysely, entry, { ...actor, message: entry.message });
  // The input is read now and not when the entry was written: the row may have moved on.
  const row = await actorStart(kysely, actor.kind, actor.rowId);
  if (row === undefined || row.finished) return 'dropped';
  const { organizationId, author } = entry;
  return startActor(temporal, { ...actor, organizationId, state: row.state, input: row.input, author });
}

async function signal(
  temporal: Temporal,
  kysely: Kysely<Tables>,
  entry: OutboxEntry,
  { kind, rowId, message }: { kind: ActorKind; rowId: string; message: string },
): Promise<DeliveryOutcome> {
  try {
    await temporal.client.workflow.getHandle(entry.actorId).signal(message, { id: entry.id, body: entry.body });
    return 'signalled';
  } catch (error) {
    // Nobody is left to be told, whatever is wrong with the message.
    const row = await actorStart(kysely, kind, rowId);
    if (row === undefined || row.finished) return 'dropped';
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new Error('The actor is not running although its row is open; the reconciler mends that.', { cause: error });
  }
}
