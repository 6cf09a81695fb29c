import { sql } from 'kysely';
import type { Effect } from '../../../db/engine/effect.ts';
import { endSessionsOf } from '../../../db/sign-in/sessions.ts';
import type { Account } from '../account.ts';
import { endSignIns } from '../end-sign-ins.ts';
import { removeRecoveryCodes } from '../second-factors/recovery-codes.ts';

/** Sets a new password. Whatever was signed in with the account ends, but for the provider's session with this `uid`. */
export async function changePassword(
  effect: Effect,
  account: Account,
  passwordHash: string,
  keptUid?: string,
): Promise<void> {
  await storePassword(effect, account, passwordHash);
  await endSignIns(effect.kysely, account.id, keptUid);
  if (account.userId !== null) await endSessionsOf(effect, account.userId);
  effect.audit('account.password_changed', { id: account.id, name: account.email });
}

/** Sets a new password for somebody who lost what they sign in with: the second factors go, too. */
export async function resetPassword(effect: Effect, account: Account, passwordHash: string): Promise<void> {
  await storePassword(effect, account, passwordHash);
  await effect.kysely.deleteFrom('provider_passkey').where('account_id', '=', account.id).execute();
  await removeRecoveryCodes(effect.kysely, account.id);
  await effect.kysely
    .updateTable('provider_account')
    .set({ totp_secret: null, totp_last_step: null })
    .where('id', '=', account.id)
    .execute();
  await endSignIns(effect.kysely, account.id);
  if (account.userId !== null) await endSessionsOf(effect, account.userId);
  effect.audit('account.reset', { id: account.id, name: account.email });
}

async function storePassword(effect: Effect, account: Account, passwordHash: string): Promise<void> {
  await effect.kysely
    .updateTable('provider_account')
    .set({ password_hash: passwordHash, password_changed_at: sql`now()` })
    .where('id', '=', account.id)
    .execute();
}
