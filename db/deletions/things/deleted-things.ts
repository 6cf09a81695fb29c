import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isThingKind, type ShownKind, shownKind, type ThingKind, thingKinds } from '../../../domain/deletions/kinds.ts';
import type { DeletionState } from '../../../workflows/deletion/descriptor.ts';
import type { Author } from '../../engine/author.ts';
import { downSentence } from '../../engine/processes/down-part.ts';
import type { Tables } from '../../postgres/tables.ts';
import { purgeable, restorable } from '../deletion-rules.ts';
import { type DeletionPage, newestFirst } from '../newest-first.ts';
import { attached, deletedParent, type Parent } from './thing-row.ts';

/** A part of an organization that is deleted and not purged. */
export interface DeletedThing {
  deletionId: string;
  organizationId: string;
  projectId: string;
  kind: ThingKind;
  /** The id that it had, and has again once it is restored. */
  id: string;
  name: string;
  slug: string;
  context: string;
  detail: string;
  state: DeletionState;
  message: string | null;
  blocker: string | null;
  createdAt: Date;
  restoreUntil: Date;
  restorable: boolean;
  purgeable: boolean;
  /** Deleted, too: it is restored first. */
  parent: Parent | null;
  deletedBy: { kind: Author['kind']; id: string; name: string };
}

/** Deleted parts of an organization, newest first; purged and restored ones are left out. */
export async function listDeletedThings(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: DeletionPage & { within?: readonly string[] | undefined },
): Promise<DeletedThing[]> {
  const { within } = page;
  let query = newestFirst(deletedThings(kysely, organizationId), page);
  if (within !== undefined) query = query.where(sql<boolean>`deletion.project_id = any(${within}::uuid[])`);
  return (await query.execute()).map(viewOf);
}

/** By the kind and the id that it had. */
export async function findDeletedThing(
  kysely: Kysely<Tables>,
  organizationId: string,
  kind: ShownKind,
  id: string,
): Promise<DeletedThing | undefined> {
  const row = await deletedThings(kysely, organizationId)
    .where(
      'deletion.kind',
      'in',
      thingKinds.filter((one) => shownKind(one) === kind),
    )
    .where('deletion.subject_id', '=', id)
    .executeTakeFirst();
  return row && viewOf(row);
}

function deletedThings(kysely: Kysely<Tables>, organizationId: string) {
  return kysely
    .selectFrom('deletion')
    .selectAll()
    .select([
      restorable.as('restorable'),
      purgeable.as('purgeable'),
      deletedParent.as('parent'),
      downSentence.as('down'),
    ])
    .where('organization_id', '=', organizationId)
    .where('kind', '<>', 'organization')
    .where('state', 'in', ['retained', 'purging', 'failed'])
    .where(attached);
}

function viewOf(row: Awaited<ReturnType<ReturnType<typeof deletedThings>['execute']>>[number]): DeletedThing {
  const { kind, subject_id: id, project_id: projectId } = row;
  if (!isThingKind(kind) || id === null || projectId === null) {
    throw new Error(`The deletion ${row.id} does not say what was deleted.`);
  }
  const { name, slug, context, detail, state, message, blocker, restorable, purgeable, parent } = row;
  return {
    ...{ deletionId: row.id, organizationId: row.organization_id, projectId, kind, id, name, slug, context, detail },
    ...{
      state,
      message,
      blocker: (state === 'purging' ? row.down : null) ?? blocker,
      createdAt: row.created_at,
      restoreUntil: row.restore_until,
      purgeable,
      parent,
    },
    restorable: restorable && parent === null,
    deletedBy: { kind: row.requested_by_kind, id: row.requested_by_id, name: row.requested_by_name },
  };
}
