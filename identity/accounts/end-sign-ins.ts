import type { Kysely } from 'kysely';
import { hashSecret } from '../../db/keys/secrets.ts';
import type { Tables } from '../../db/postgres/tables.ts';

/** Ends what is signed in with the account at the provider, but for the session with this `uid`. */
export async function endSignIns(kysely: Kysely<Tables>, accountId: string, keptUid?: string): Promise<void> {
  let gone = kysely
    .deleteFrom('provider_record')
    .where('account_id', '=', accountId)
    .where('model', '!=', 'Interaction');
  if (keptUid !== undefined) {
    gone = gone.where((row) => row.or([row('uid_hash', 'is', null), row('uid_hash', '!=', hashSecret(keptUid))]));
  }
  await gone.execute();
}
