import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Keyring } from '../keys/keys.ts';

/** An ed25519 key in PKCS#8, up to its 32 bytes of seed. */
const header = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The public half of the organization's SSH key, as `authorized_keys` takes it. It follows from the organization's data
 * key, so that it is there from the beginning and goes when the data key is destroyed.
 */
export async function organizationSshKey(
  keyring: Pick<Keyring, 'derivedSecret'>,
  organization: { id: string; slug: string },
): Promise<string> {
  const seed = await keyring.derivedSecret(organization.id, 'ssh key');
  const key = createPrivateKey({ key: Buffer.concat([header, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')];
  const blob = Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
  return `ssh-ed25519 ${blob.toString('base64')} ballast-${organization.slug}`;
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}
