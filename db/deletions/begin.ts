import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { DeletionKind } from '../../domain/deletions/kinds.ts';
import type { Author } from '../engine/author.ts';
import type { Effect } from '../engine/effect.ts';

export interface NewDeletion {
  organizationId: string;
  kind: DeletionKind;
  subjectId: string;
  projectId: string | null;
  name: string;
  slug: string;
  /** Where it was, and what was in it, for people. */
  context: string;
  detail: string;
  /** How long it can be restored; the organization's setting, unless said. */
  hours?: number;
  purgeRequested?: boolean;
  purgeStartedAt?: Date | null;
  /** Whose decision it is, where it takes effect by another's word. */
  requestedBy?: Pick<Author, 'kind' | 'id' | 'name'>;
}

export interface Begun {
  deletionId: string;
  restoreUntil: Date;
}

/** Writes the row of a deletion and starts its actor. Hiding the thing itself is the caller's. */
export async function beginDeletion(effect: Effect, given: NewDeletion): Promise<Begun> {
  const { organizationId, hours, purgeRequested = false, purgeStartedAt = null } = given;
  const id = uuid();
  const { requestedBy: author = effect.author } = given;
  const setting = sql<number>`(select deleted_retention_hours from organization where id = ${organizationId})`;
  const row = await effect.kysely
    .insertInto('deletion')
    .values({
      id,
      organization_id: organizationId,
      kind: given.kind,
      subject_id: given.subjectId,
      project_id: given.projectId,
      name: given.name,
      slug: given.slug,
      context: given.context,
      detail: given.detail,
      requested_by_kind: author.kind,
      requested_by_id: author.id,
      requested_by_name: author.name,
      restore_until: sql`now() + make_interval(hours => ${hours ?? setting})`,
      purge_requested_at: purgeRequested ? sql`now()` : null,
      purge_started_at: purgeStartedAt,
    })
    .returning('restore_until')
    .executeTakeFirstOrThrow();
  effect.tell({ start: 'deletion', id, organizationId });
  const { projectId } = given;
  if (projectId !== null) effect.change({ organizationId, kind: 'deletion', id, projectId });
  return { deletionId: id, restoreUntil: row.restore_until };
}

/** Ends a deletion of data that are in use again, as if somebody had restored them. */
export async function countAsRestored(
  effect: Effect,
  { deletionId, organizationId, projectId }: { deletionId: string; organizationId: string; projectId: string },
): Promise<void> {
  await effect.kysely
    .updateTable('deletion')
    .set({
      state: 'restored',
      finished_at: sql`coalesce(finished_at, now())`,
      revision: sql`revision + 1`,
      blocker: null,
    })
    .where('id', '=', deletionId)
    .execute();
  effect.tell({ to: `deletion/${deletionId}`, message: 'restored', organizationId, body: {} });
  effect.change({ organizationId, kind: 'deletion', id: deletionId, projectId });
}
