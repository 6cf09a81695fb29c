import { randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { hashSecret } from '../../../db/keys/secrets.ts';
import type { Tables } from '../../../db/postgres/tables.ts';

const count = 8;
/** Without those that look alike when written down. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Makes new codes; older ones are void. They are returned here and are nowhere else. */
export async function makeRecoveryCodes(kysely: Kysely<Tables>, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: count }, newCode);
  await removeRecoveryCodes(kysely, accountId);
  await kysely
    .insertInto('provider_recovery_code')
    .values(codes.map((code) => ({ account_id: accountId, code_hash: hashOf(accountId, code) })))
    .execute();
  return codes;
}

/** Whether it is an unused code of the account; from then on it is used. */
export async function useRecoveryCode(kysely: Kysely<Tables>, accountId: string, code: string): Promise<boolean> {
  const used = await kysely
    .updateTable('provider_recovery_code')
    .set({ used_at: sql`now()` })
    .where('account_id', '=', accountId)
    .where('code_hash', '=', hashOf(accountId, code))
    .where('used_at', 'is', null)
    .returning('account_id')
    .executeTakeFirst();
  if (used === undefined) return false;
  // A recovery code proves the person: the authenticator app works again, however often somebody else has guessed.
  await kysely.updateTable('provider_account').set({ totp_wrong_codes: 0 }).where('id', '=', accountId).execute();
  return true;
}

export async function removeRecoveryCodes(kysely: Kysely<Tables>, accountId: string): Promise<void> {
  await kysely.deleteFrom('provider_recovery_code').where('account_id', '=', accountId).execute();
}

/** `abcd-efgh-jkmn-pqrs`: 79 random bits, so a fast hash keeps them safe. */
function newCode(): string {
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

/** Spaces, dashes and capitals do not matter. */
function hashOf(accountId: string, code: string): Buffer {
  return hashSecret(`${accountId}:${code.toLowerCase().replace(/[\s-]/g, '')}`);
}
