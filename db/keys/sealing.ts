import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const authTagLength = 16;

/** A secret or a key that does not open, however often it is tried: it was changed, or its key is not there any more. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

/** AES-256-GCM: nonce, ciphertext, tag. `bound` is not in the result, but opening needs the very same. */
export function seal(key: Buffer, plaintext: Buffer, bound: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength });
  cipher.setAAD(Buffer.from(bound, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the key, the bytes or what they are bound to is not what they were sealed with. */
export function unseal(key: Buffer, sealed: Buffer, bound: string): Buffer {
  if (sealed.length < nonceBytes + authTagLength) throw new Error('The ciphertext is too short to be one.');
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength });
  decipher.setAAD(Buffer.from(bound, 'utf8'));
  decipher.setAuthTag(sealed.subarray(-authTagLength));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -authTagLength)), decipher.final()]);
}
