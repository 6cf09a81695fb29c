import type { Effect } from '../../../db/engine/effect.ts';
import type { AuditAction } from '../../../domain/audit-actions.ts';
import { type Account, findAccount, hasSecondFactor } from '../account.ts';
import { Refusal } from '../refusal.ts';
import type { NewPasskey } from './passkeys.ts';
import { makeRecoveryCodes, removeRecoveryCodes } from './recovery-codes.ts';
import { removeTotp, setTotp } from './totp.ts';

const mostPasskeys = 20;

/** Codes to note down, if it is the first second factor of the account. */
export type Added = { recoveryCodes?: string[] };

export async function addAuthenticatorApp(
  effect: Effect,
  key: Buffer,
  accountId: string,
  app: { secret: string; code: string },
): Promise<Added> {
  const account = await locked(effect, accountId);
  if (!(await setTotp(effect.kysely, key, account.id, app.secret, app.code))) {
    throw new Refusal(
      'This is not the code of the app; enter the six digits that it shows now, and check the clock of your phone.',
      { field: 'code' },
    );
  }
  said(effect, account, 'account.second_factor_added', { kind: 'authenticator-app' });
  return await codesIfFirst(effect, account);
}

export async function addPasskey(effect: Effect, accountId: string, passkey: NewPasskey, name: string): Promise<Added> {
  const account = await locked(effect, accountId);
  if (account.passkeys >= mostPasskeys) {
    throw new Refusal(`An account has at most ${mostPasskeys} passkeys; remove one that you no longer use.`);
  }
  const { id, publicKey, counter, transports } = passkey;
  const added = await effect.kysely
    .insertInto('provider_passkey')
    .values({ id, account_id: account.id, public_key: publicKey, counter, transports, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) throw new Refusal('This passkey is registered already; choose another device.');
  said(effect, account, 'account.second_factor_added', { kind: 'passkey', name });
  return await codesIfFirst(effect, account);
}

export async function removeAuthenticatorApp(effect: Effect, accountId: string): Promise<void> {
  const account = await locked(effect, accountId);
  if (!account.hasAuthenticatorApp) return;
  await removeTotp(effect.kysely, account.id);
  said(effect, account, 'account.second_factor_removed', { kind: 'authenticator-app' });
  await noCodesWithoutFactor(effect, account);
}

export async function removePasskey(effect: Effect, accountId: string, passkeyId: string): Promise<void> {
  const account = await locked(effect, accountId);
  const removed = await effect.kysely
    .deleteFrom('provider_passkey')
    .where('account_id', '=', account.id)
    .where('id', '=', passkeyId)
    .returning('name')
    .executeTakeFirst();
  if (removed === undefined) return;
  said(effect, account, 'account.second_factor_removed', { kind: 'passkey', name: removed.name });
  await noCodesWithoutFactor(effect, account);
}

export async function renewRecoveryCodes(effect: Effect, accountId: string): Promise<string[]> {
  const account = await locked(effect, accountId);
  if (!hasSecondFactor(account)) throw new Refusal('Recovery codes stand in for a second factor; add one first.');
  said(effect, account, 'account.recovery_codes_renewed', {});
  return await makeRecoveryCodes(effect.kysely, account.id);
}

/** The account, locked: nobody else changes it until this effect ends. */
async function locked(effect: Effect, accountId: string): Promise<Account> {
  await effect.kysely
    .selectFrom('provider_account')
    .select('id')
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  const account = await findAccount(effect.kysely, accountId);
  if (account === undefined) throw new Refusal('This account was deleted; sign in again.');
  return account;
}

async function codesIfFirst(effect: Effect, before: Account): Promise<Added> {
  if (hasSecondFactor(before)) return {};
  return { recoveryCodes: await makeRecoveryCodes(effect.kysely, before.id) };
}

async function noCodesWithoutFactor(effect: Effect, { id }: Account): Promise<void> {
  const account = await findAccount(effect.kysely, id);
  if (account === undefined || hasSecondFactor(account)) return;
  await removeRecoveryCodes(effect.kysely, id);
  if (account.userId === null) return;
  await effect.kysely.updateTable('app_user').set({ mfa: false }).where('id', '=', account.userId).execute();
}

function said(effect: Effect, account: Account, action: AuditAction, details: Record<string, string>): void {
  const { id: subjectId, email: subjectName } = account;
  effect.audit(action, { id: subjectId, name: subjectName }, details);
}
