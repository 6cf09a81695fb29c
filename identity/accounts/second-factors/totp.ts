import { type Kysely, sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { sealIdentity, unsealIdentity } from '../../../db/keys/identity-secrets.ts';
import type { Tables } from '../../../db/postgres/tables.ts';
import { Refusal } from '../refusal.ts';

const mostWrongCodes = 50;

/** The parameters that every authenticator app understands. */
const common = { algorithm: 'SHA1', digits: 6, period: 30 };
const window = 1;

/** A new secret, as text that can be typed. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The content of the QR code. */
export function totpAddress(secret: string, account: { email: string; host: string }): string {
  return new TOTP({ ...common, secret, issuer: 'Ballast', label: `${account.email} (${account.host})` }).toString();
}

/** Keeps the secret with the account, if the code shows that the app has it. The code counts as used. */
export async function setTotp(
  kysely: Kysely<Tables>,
  key: Buffer,
  accountId: string,
  secret: string,
  code: string,
): Promise<boolean> {
  const step = stepOf(secret, code);
  if (step === undefined) return false;
  await kysely
    .updateTable('provider_account')
    .set({ totp_secret: sealIdentity(key, secret, boundTo(accountId)), totp_last_step: step, totp_wrong_codes: 0 })
    .where('id', '=', accountId)
    .execute();
  return true;
}

/**
 * Whether it is the code of this moment, and was not used before: the row arbitrates between two who use the same one.
 * An attacker who knows the password could otherwise try a million codes in some weeks, however slowly.
 */
export async function useTotpCode(
  kysely: Kysely<Tables>,
  key: Buffer,
  accountId: string,
  code: string,
): Promise<boolean> {
  const row = await kysely
    .selectFrom('provider_account')
    .select(['totp_secret', 'totp_wrong_codes'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (row?.totp_secret == null) return false;
  const step = stepOf(unsealIdentity(key, row.totp_secret, boundTo(accountId)), code);
  if (row.totp_wrong_codes >= mostWrongCodes) throw tooMany();
  if (step === undefined) {
    await kysely
      .updateTable('provider_account')
      .set({ totp_wrong_codes: sql`totp_wrong_codes + 1` })
      .where('id', '=', accountId)
      .execute();
    return false;
  }
  const used = await kysely
    .updateTable('provider_account')
    .set({ totp_last_step: step, totp_wrong_codes: 0 })
    .where('id', '=', accountId)
    .where('totp_secret', '=', row.totp_secret)
    .where((row) => row.or([row('totp_last_step', 'is', null), row('totp_last_step', '<', step)]))
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

export async function removeTotp(kysely: Kysely<Tables>, accountId: string): Promise<void> {
  await kysely
    .updateTable('provider_account')
    .set({ totp_secret: null, totp_last_step: sql`null` })
    .where('id', '=', accountId)
    .execute();
}

function tooMany(): Refusal {
  return new Refusal(
    'There were too many wrong codes for this account; use a recovery code or a passkey. Without either, the operator of this installation can reset the account.',
    { field: 'code' },
  );
}

/** The time step that the code belongs to: this one, or one beside it, since clocks differ. */
function stepOf(secret: string, code: string): number | undefined {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const timestamp = Date.now();
  const delta = TOTP.validate({ ...common, token, secret: Secret.fromBase32(secret), timestamp, window });
  return delta === null ? undefined : TOTP.counter({ period: common.period, timestamp }) + delta;
}

function boundTo(accountId: string): string {
  return `provider_account:${accountId}:totp_secret`;
}
