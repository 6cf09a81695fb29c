import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isThingKind, type ShownKind, shownKind, type ThingKind, thingKinds } from '../../../domain/deletions/kinds.ts';
import type { DeletionState } from '../../../workflows/deletion/descriptor.ts';
import type { Author } from '../../engine/author.ts';
import { downSentence } from '../../engine/processes/processes.ts';
import { type Page, pageOf } from '../../postgres/page-of.ts';
import type { Tables } from '../../postgres/tables.ts';
import { purgeable, restorable } from '../deletions.ts';

/** The table of a kind's rows. */
export const tableOfThing = {
  service: 'service',
  database: 'service',
  volume: 'volume',
  environment: 'environment',
  project: 'project',
  'left-volume': 'left_volume',
} as const satisfies Record<ThingKind, string>;

export interface ThingToPurge {
  deletionId: string;
  organizationId: string;
  kind: ThingKind;
  id: string;
}

/** Whether the thing still waits for its purge by this deletion, and by no newer one. */
const attached: RawBuilder<boolean> = sql<boolean>`case deletion.kind
  when 'volume' then exists (select from volume thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  when 'left-volume' then exists (select from left_volume thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  when 'environment' then exists (select from environment thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  when 'project' then exists (select from project thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id)
  else exists (select from service thing where thing.organization_id = deletion.organization_id
    and thing.id = deletion.subject_id and thing.deletion_id = deletion.id) end`;

interface Parent {
  kind: 'project' | 'service' | 'environment';
  name: string;
}

/** The deleted thing that it was in: restored first. A service that a project took along is restored with that project. */
const deletedParent: RawBuilder<Parent | null> = sql<Parent | null>`case deletion.kind
  when 'project' then null
  when 'left-volume' then coalesce(
    (select json_build_object('kind', 'project', 'name', parent.name) from project parent
      where parent.organization_id = deletion.organization_id and parent.id = deletion.project_id and parent.deletion_id is not null),
    (select json_build_object('kind', 'service', 'name', parent.name) from left_volume
      join service parent on parent.organization_id = left_volume.organization_id and parent.id = left_volume.service_id
      where left_volume.organization_id = deletion.organization_id and left_volume.id = deletion.subject_id and parent.deletion_id is not null),
    (select json_build_object('kind', 'environment', 'name', parent.name) from left_volume
      join environment parent on parent.organization_id = left_volume.organization_id and parent.id = left_volume.environment_id
      where left_volume.organization_id = deletion.organization_id and left_volume.id = deletion.subject_id and parent.deletion_id is not null))
  when 'volume' then coalesce(
    (select json_build_object('kind', 'project', 'name', parent.name) from project parent
      where parent.organization_id = deletion.organization_id and parent.id = deletion.project_id and parent.deletion_id is not null),
    (select json_build_object('kind', 'service', 'name', parent.name) from volume
      join service parent on parent.organization_id = volume.organization_id and parent.id = volume.service_id
      where volume.organization_id = deletion.organization_id and volume.id = deletion.subject_id and parent.deletion_id is not null))
  else (select json_build_object('kind', 'project', 'name', parent.name) from project parent
    where parent.organization_id = deletion.organization_id and parent.id = deletion.project_id and parent.deletion_id is not null) end`;

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
  page: Page & { within?: readonly string[] | undefined },
): Promise<DeletedThing[]> {
  const { within } = page;
  let query = deletedThings(kysely, organizationId).$call(pageOf('deletion', 'newest', page));
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
