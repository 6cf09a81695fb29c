import { type Kysely, sql } from 'kysely';
import { deleteInBatches } from '../../engine/delete-in-batches.ts';
import type { Tables } from '../../postgres/tables.ts';

/**
 * Deletes sources a day after the last build of them has ended, or after they came if there is none. Their blobs are the
 * registry's to delete, unless something else names them.
 */
export async function sweepSources(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`/* across tenants */ touched_at < now() - interval '1 day' and not exists (
    select from build
    where build.organization_id = build_source.organization_id and build.build_source_id = build_source.id
      and (build.finished_at is null or build.finished_at >= now() - interval '1 day'))`;
  // A source takes its blobs' rows along, thousands of them.
  return await deleteInBatches(kysely, {
    ...{ table: 'build_source', where, most: 20, signal },
    along: sql.ref('touched_at'),
  });
}
