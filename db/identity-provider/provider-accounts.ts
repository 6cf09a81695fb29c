import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';

/** Rights that an account was created for. */
interface RightsOfAccount {
  forFirstOwner: boolean;
  forInvitation: string | null;
}

export async function findRightsOfAccount(
  kysely: Kysely<Tables>,
  accountId: string,
): Promise<RightsOfAccount | undefined> {
  return await kysely
    .selectFrom('provider_account')
    .select(['for_first_owner as forFirstOwner', 'for_invitation as forInvitation'])
    .where(sql<string>`id::text`, '=', accountId)
    .executeTakeFirst();
}

/** From the first owner on nobody becomes that any more, whatever becomes of the owners. */
export async function endFirstOwnerRights(effect: Effect): Promise<void> {
  await effect.kysely
    .updateTable('provider_account')
    .set({ for_first_owner: false })
    .where('for_first_owner', '=', true)
    .execute();
}

/** Takes away what an account of the built-in provider signs in with. What it signs in with next, a link sets. */
export async function voidSignInMeans(effect: Effect, accountId: string): Promise<void> {
  const account = sql<string>`provider_account.id::text`;
  await effect.kysely
    .updateTable('provider_account')
    .set({ password_hash: nobodyKnows(), totp_secret: null, totp_last_step: null, totp_wrong_codes: 0 })
    .where(account, '=', accountId)
    .execute();
  for (const table of ['provider_passkey', 'provider_recovery_code'] as const) {
    await effect.kysely.deleteFrom(table).where(sql<string>`account_id::text`, '=', accountId).execute();
  }
}

/** A hash like any other, but of no password: checking a guess against it takes as long and says no. */
function nobodyKnows(): string {
  return `scrypt$${2 ** 16}$8$2$${randomBytes(16).toString('base64')}$${randomBytes(32).toString('base64')}`;
}

/** Ends whatever the built-in provider keeps of an account: its sessions, codes and interactions. */
export async function endAccountRecords(kysely: Kysely<Tables>, accountId: string): Promise<number> {
  const ended = await kysely
    .deleteFrom('provider_record')
    .where('account_id', '=', accountId)
    .returning('model')
    .execute();
  return ended.length;
}
