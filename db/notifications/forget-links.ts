import { sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';

/**
 * Entries of inboxes and messages of channels stay as long as others do: they say what has happened. Their links lose the ids of what is
 * purged, and lead to the inbox.
 */
export async function forgetLinks(
  { kysely }: Effect,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  for (const table of ['notification', 'queued_delivery', 'delivery', 'incident'] as const) {
    await sql`
      update ${sql.table(table)} set link = jsonb_build_object('type', link -> 'type')
      where organization_id = ${organizationId} and position(${id} in link::text) > 0
    `.execute(kysely);
  }
}
