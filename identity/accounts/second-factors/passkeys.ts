import { isIP } from 'node:net';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { type Kysely, sql } from 'kysely';
import { parse as bytesOfUuid } from 'uuid';
import type { Tables } from '../../../db/postgres/tables.ts';
import { type Asserted, type Attested, readAsserted, readAttested } from './passkey-answers.ts';

/** The protocol of passkeys is loaded when somebody meets one: 7 MB, and a tenth of a second of each start. */
const webauthn = () => import('@simplewebauthn/server');

export interface Passkey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  transports: string[];
}

/** Browsers bind passkeys to a name, not to an address, and offer them only where nobody can listen. */
export function passkeysWork(publicUrl: string): boolean {
  const { hostname, protocol } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

export async function listPasskeys(kysely: Kysely<Tables>, accountId: string): Promise<Passkey[]> {
  return await kysely
    .selectFrom('provider_passkey')
    .select(['id', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt', 'transports'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** The browser's options for creating a passkey. The challenge must be kept until the answer comes. */
export async function passkeyCreation(
  publicUrl: string,
  account: { id: string; name: string; email: string },
  existing: readonly Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await webauthn();
  return await generateRegistrationOptions({
    rpName: 'Ballast',
    rpID: new URL(publicUrl).hostname,
    userName: account.email,
    userDisplayName: account.name,
    userID: Uint8Array.from(bytesOfUuid(account.id)),
    attestationType: 'none',
    excludeCredentials: existing.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/** The browser's options for signing in: with one of these passkeys, or (undefined) with any that it has, by itself. */
export async function passkeyRequest(
  publicUrl: string,
  among: readonly Passkey[] | undefined,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn();
  return await generateAuthenticationOptions({
    rpID: new URL(publicUrl).hostname,
    ...(among === undefined ? {} : { allowCredentials: among.map(({ id, transports }) => ({ id, transports })) }),
    userVerification: among === undefined ? 'required' : 'preferred',
  });
}

export interface NewPasskey {
  id: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
}

/** The passkey that the browser made, or undefined when the answer is not one to this challenge. */
export async function verifyNewPasskey(
  publicUrl: string,
  challenge: string,
  answer: string,
): Promise<NewPasskey | undefined> {
  const response = readAttested(answer);
  if (response === undefined || !(await isUncertified(response))) return undefined;
  const { hostname, origin } = new URL(publicUrl);
  const { verifyRegistrationResponse } = await webauthn();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostname,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  const transports = (response.response.transports ?? []).slice(0, 8);
  return { id, publicKey: Buffer.from(publicKey), counter, transports };
}

export interface UsedPasskey {
  accountId: string;
  /** The device made sure who it is (by finger, face or PIN), and not only that somebody is there. */
  userVerified: boolean;
}

/** Whose passkey answered this challenge, or undefined when none of ours did. */
export async function usePasskey(
  kysely: Kysely<Tables>,
  publicUrl: string,
  challenge: string,
  answer: string,
): Promise<UsedPasskey | undefined> {
  const response = readAsserted(answer);
  if (response === undefined) return undefined;
  const row = await kysely.selectFrom('provider_passkey').selectAll().where('id', '=', response.id).executeTakeFirst();
  if (row === undefined || !namesAccount(response, row.account_id)) return undefined;
  const { hostname, origin } = new URL(publicUrl);
  const { verifyAuthenticationResponse } = await webauthn();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostname,
    requireUserVerification: false,
    credential: { id: row.id, publicKey: Uint8Array.from(row.public_key), counter: row.counter },
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const { newCounter, userVerified } = verified.authenticationInfo;
  const used = await kysely
    .updateTable('provider_passkey')
    .set({ counter: newCounter, last_used_at: sql`now()` })
    .where('id', '=', row.id)
    .where('counter', '=', row.counter)
    .returning('id')
    .executeTakeFirst();
  return used === undefined ? undefined : { accountId: row.account_id, userVerified };
}

/** We ask for no certificate of the device, and look at none: to check one would mean to ask addresses that stand in it. */
async function isUncertified(response: Attested): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    const decoded = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
    const format = decoded.get('fmt');
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}

function namesAccount(response: Asserted, accountId: string): boolean {
  const { userHandle } = response.response;
  return userHandle === undefined || userHandle === Buffer.from(bytesOfUuid(accountId)).toString('base64url');
}
