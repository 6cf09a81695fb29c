import { type Kysely, sql } from 'kysely';
import { sealIdentity, unsealIdentity } from '../../db/keys/identity-secrets.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import type { Tables } from '../../db/postgres/tables.ts';

const model = 'Pending';

/** Unfinished work of a person: kept here and not in the form, where it could be changed. */
export interface Pending {
  /** Begins with what only this browser has: the id of its interaction or session. */
  id: string;
  accountId: string | null;
  value: JsonObject;
  seconds: number;
}

/** Keeps it; what was kept under the same id is forgotten. */
export async function keepPending(kysely: Kysely<Tables>, key: Buffer, pending: Pending): Promise<void> {
  const id = hashSecret(pending.id);
  const row = {
    payload: sealIdentity(key, JSON.stringify(pending.value), boundTo(id)),
    account_id: pending.accountId,
    expires_at: sql<Date>`now() + make_interval(secs => ${pending.seconds})`,
  };
  await kysely
    .insertInto('provider_record')
    .values({ model, id_hash: id, ...row })
    .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(row))
    .execute();
}

export async function readPending(
  kysely: Kysely<Tables>,
  key: Buffer,
  pendingId: string,
): Promise<JsonObject | undefined> {
  const id = hashSecret(pendingId);
  const row = await kysely
    .selectFrom('provider_record')
    .select('payload')
    .where('model', '=', model)
    .where('id_hash', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row === undefined ? undefined : JSON.parse(unsealIdentity(key, row.payload, boundTo(id)));
}

/** Reads it for the last time: a second taker finds nothing. */
export async function takePending(
  kysely: Kysely<Tables>,
  key: Buffer,
  pendingId: string,
): Promise<JsonObject | undefined> {
  const id = hashSecret(pendingId);
  const row = await kysely
    .deleteFrom('provider_record')
    .where('model', '=', model)
    .where('id_hash', '=', id)
    .returning(['payload', sql<boolean>`expires_at > now()`.as('valid')])
    .executeTakeFirst();
  return row?.valid === true ? JSON.parse(unsealIdentity(key, row.payload, boundTo(id))) : undefined;
}

function boundTo(id: Buffer): string {
  return `provider_record:${model}:${id.toString('hex')}`;
}
