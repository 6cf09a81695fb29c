import { generateKeyPairSync, sign } from 'node:crypto';
import { fingerprintOf, type ReleaseProof, type Signed } from '../../protocol/release-proof.ts';

/** A key of an installation that signs whatever a test wants signed. */
export interface ReleaseSigner {
  key: string;
  fingerprint: string;
  says(statement: object): Signed;
  /** A proof of a release as this installation makes it, or with something wrong in it. */
  prove(digest: string, odd?: { kind?: string; platform?: string; epoch?: number }): ReleaseProof;
}

export function releaseSigner(): ReleaseSigner {
  const pair = generateKeyPairSync('ed25519');
  const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const says = (statement: object): Signed => {
    const text = JSON.stringify(statement);
    return { statement: text, signature: sign(null, Buffer.from(text), pair.privateKey).toString('base64') };
  };
  let epoch = 100;
  return {
    key,
    fingerprint: fingerprintOf(key),
    says,
    prove: (digest, odd = {}) => {
      epoch += 1;
      const about = { kind: 'agent', version: '1', platform: 'any', digest, epoch, ...odd };
      return { key, chain: [], release: says(about) };
    },
  };
}
