import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, as text that fits into a header and a cookie. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of a secret. No salt and no slow hash are needed: 256 random bits cannot be guessed. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
