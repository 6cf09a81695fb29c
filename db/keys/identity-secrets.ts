import { hkdfSync } from 'node:crypto';
import { seal, unseal } from './sealing.ts';

/** The provider id of the built-in provider: constant, so that accounts survive a change of address. */
export const builtInProviderId = 'built-in';
/** The id under which the API is known to the built-in provider. */
export const builtInClientId = 'ballast';

export type IdentitySecret = 'client secret' | 'provider cookies' | 'sealing' | 'known browsers';

/** A secret derived from the identity key: the API and the provider need not hand it to each other. */
export function identitySecret(key: Buffer, purpose: IdentitySecret): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `ballast identity: ${purpose}`, 32));
}

export function builtInClientSecret(key: Buffer): string {
  return identitySecret(key, 'client secret').toString('base64url');
}

/** Seals what the built-in provider stores. `bound` is `table:id:column`: moved to another place it does not open. */
export function sealIdentity(key: Buffer, plaintext: string, bound: string): Buffer {
  return seal(identitySecret(key, 'sealing'), Buffer.from(plaintext, 'utf8'), bound);
}

export function unsealIdentity(key: Buffer, sealed: Buffer, bound: string): string {
  return unseal(identitySecret(key, 'sealing'), sealed, bound).toString('utf8');
}
