import { p } from '@mikro-orm/core';
import { authorKinds } from './author.ts';

/** The columns that every actor's row has, besides its state and what it belongs to. */
export const actorRow = {
  id: p.uuid().primary(),
  organizationId: p.uuid(),
  revision: p.integer().default(0),
  /** Why it is in its state, in a sentence. */
  message: p.text().nullable(),
  /** Why it does not move, in a sentence: a poisoned outbox entry, a workflow that was lost. */
  blocker: p.text().nullable(),
  createdAt: p.datetime(3).defaultRaw('now()'),
  finishedAt: p.datetime(3).nullable(),
  archivedAt: p.datetime(3).nullable(),
};

export const requestedBy = {
  requestedByKind: p.enum(authorKinds),
  requestedById: p.text(),
  requestedByName: p.text(),
};

/** Finds the rows whose history is still to be archived. */
export function withoutArchive(table: string) {
  return {
    name: `${table}_without_archive_index`,
    properties: 'finishedAt' as const,
    where: 'finished_at is not null and archived_at is null',
  };
}
