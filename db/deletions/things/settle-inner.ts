import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import type { DeletionKind } from '../../../domain/deletions/kinds.ts';
import type { Effect } from '../../engine/effect.ts';

interface Purging {
  id: string;
  organization_id: string;
  kind: DeletionKind;
  subject_id: string | null;
}

/** By which data that were left belong to what is purged. */
const columns = {
  service: 'service_id',
  database: 'service_id',
  volume: 'volume_id',
  environment: 'environment_id',
} as const;

/**
 * Deletions of what is inside end with the purge of the thing, which takes their rows along: their actors have nothing left
 * to wait for. One that purges already goes on by itself, and finds nothing.
 */
export async function settleInner(effect: Effect, deletion: Purging): Promise<void> {
  const { id: deletionId, organization_id: organizationId, kind, subject_id: id } = deletion;
  if (kind === 'left-volume') return;
  const inside =
    kind === 'organization'
      ? sql<boolean>`true`
      : kind === 'project'
        ? sql<boolean>`project_id = ${id}`
        : sql<boolean>`exists (select from left_volume where left_volume.organization_id = deletion.organization_id
            and left_volume.id = deletion.subject_id and left_volume.${sql.ref(columns[kind])} = ${id})
          or kind = 'volume' and exists (select from volume where volume.organization_id = deletion.organization_id
            and volume.id = deletion.subject_id and volume.service_id = ${id})`;
  const rows = await effect.kysely
    .selectFrom('deletion')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<>', deletionId)
    .where('kind', '<>', 'organization')
    .where('state', '=', 'retained')
    .where('finished_at', 'is', null)
    .where(inside)
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const { id: inner } of rows) {
    await effect.kysely
      .updateTable('deletion')
      .set({ state: 'purged', finished_at: sql`now()`, revision: sql`revision + 1`, blocker: null })
      .where('id', '=', inner)
      .execute();
    effect.tell({ to: actorId('deletion', inner), message: 'purgeNow', organizationId, body: {} });
    effect.change({ organizationId, kind: 'deletion', id: inner });
  }
}
