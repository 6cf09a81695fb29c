import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { OutboxEntry } from '../../db/engine/outbox.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { actorOf, descriptors } from '../../workflows/descriptors.ts';
import type { Temporal } from '../connection/connect.ts';
import { tellActor } from './tell-actor.ts';

/** How far an actor came with its entries. */
export interface InOrder {
  actor: string;
  told: readonly OutboxEntry[];
  /** The entry that could not be told; those behind it wait. */
  failed?: { entry: OutboxEntry; error: unknown };
}

/** Tells an actor its entries one after another, up to the first that cannot be told. */
export async function tellInOrder(
  temporal: Temporal,
  kysely: Kysely<Tables>,
  entries: readonly OutboxEntry[],
  { actor, log }: { actor: string; log: Logger },
): Promise<InOrder> {
  const told: OutboxEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      if (isOutdated(entry, entries[index + 1])) {
        log.info({ ...lineOf(entry), how: 'outdated' }, 'Left out an entry that the next one replaces');
      } else {
        const trace = propagation.extract(ROOT_CONTEXT, entry.trace ?? {});
        const how = await context.with(trace, () => tellActor(temporal, kysely, entry));
        log.info({ ...lineOf(entry), how }, 'Delivered an entry to its actor');
      }
      told.push(entry);
    } catch (error) {
      return { actor, told, failed: { entry, error } };
    }
  }
  return { actor, told };
}

/** Whether the next entry says all that this one says. */
function isOutdated({ actorId, message }: OutboxEntry, next: OutboxEntry | undefined): boolean {
  const kind = actorOf(actorId)?.kind;
  if (kind === undefined || message === null || next?.message !== message) return false;
  const { latestCounts = [] }: { latestCounts?: readonly string[] } = descriptors[kind];
  return latestCounts.includes(message);
}

/** An entry in the log. */
export function lineOf({ actorId, id, message, author }: OutboxEntry) {
  return { actor: actorId, entry: id, told: message ?? 'start', requestId: author.requestId };
}
