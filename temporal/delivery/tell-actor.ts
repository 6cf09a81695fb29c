import { WorkflowNotFoundError } from '@temporalio/client';
import type { Kysely } from 'kysely';
import type { OutboxEntry } from '../../db/engine/outbox.ts';
import { actorRow } from '../../db/engine/projection.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { parseActorId } from '../../domain/actors.ts';
import type { Temporal } from '../connection/connect.ts';
import { startActor } from './start-actor.ts';

/** How it went: `dropped` because the actor's row is final, so that there is nobody left to tell. */
export type Told = 'started' | 'already started' | 'signalled' | 'dropped';

/** Starts or signals the actor of one outbox entry. Whatever it throws means: not told, try again. */
export async function tellActor(temporal: Temporal, kysely: Kysely<Tables>, entry: OutboxEntry): Promise<Told> {
  const actor = parseActorId(entry.actorId);
  if (!actor) throw new Error(`${entry.actorId} is not the id of an actor of this version.`);
  if (entry.message !== null) return signal(temporal, kysely, entry, entry.message);
  const row = await openRow(kysely, entry);
  if (!row) return 'dropped';
  const { organizationId, body: input, author } = entry;
  return startActor(temporal, { ...actor, organizationId, state: row.state, input, author });
}

async function signal(temporal: Temporal, kysely: Kysely<Tables>, entry: OutboxEntry, message: string): Promise<Told> {
  try {
    await temporal.client.workflow.getHandle(entry.actorId).signal(message, { id: entry.id, body: entry.body });
    return 'signalled';
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    if (!(await openRow(kysely, entry))) return 'dropped';
    throw new Error('The actor is not running although its row is open; the reconciler mends that.', { cause: error });
  }
}

/** The actor's row as long as it is not final. */
async function openRow(kysely: Kysely<Tables>, entry: OutboxEntry): Promise<{ state: string } | undefined> {
  const actor = parseActorId(entry.actorId);
  const row = actor && (await actorRow(kysely, actor.kind, actor.rowId));
  return row?.finished_at === null ? row : undefined;
}
