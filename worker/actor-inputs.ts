import type { Kysely } from 'kysely';
import type { JsonObject } from '../db/json.ts';
import type { Tables } from '../db/tables.ts';
import type { ActorKind } from '../domain/actors.ts';
import type { DeletionInput } from '../workflows/deletion/messages.ts';

/** What an actor of each kind is started with, from its row: so a lost one can be started again. */
const inputs: Record<ActorKind, (kysely: Kysely<Tables>, rowId: string) => Promise<JsonObject | undefined>> = {
  async deletion(kysely, rowId) {
    const row = await kysely
      .selectFrom('deletion')
      .select(['organization_id', 'restore_until'])
      .where('id', '=', rowId)
      .executeTakeFirst();
    if (!row) return undefined;
    const restoreUntil = row.restore_until.toISOString();
    return { deletionId: rowId, organizationId: row.organization_id, restoreUntil } satisfies DeletionInput;
  },
};

export function actorInput(kysely: Kysely<Tables>, kind: ActorKind, rowId: string): Promise<JsonObject | undefined> {
  return inputs[kind](kysely, rowId);
}
