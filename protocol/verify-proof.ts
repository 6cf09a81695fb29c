import { createPublicKey, verify } from 'node:crypto';
import type { z } from 'zod';
import {
  fingerprintOf,
  keyStatement,
  type ProgramStatement,
  programStatement,
  type ReleaseProof,
  type Signed,
  type Trust,
} from './release-proof.ts';

/** The newest key that the one with this fingerprint vouches for, by however many others; nothing if it is not among them. */
export function newestKey(pinned: string, { key, chain }: Trust): string | undefined {
  let current = key;
  let reached = fingerprintOf(current) === pinned;
  for (const link of chain) {
    const next = read(keyStatement, link, current);
    // Links before the pinned key need not verify: their keys may have leaked by now.
    if (next === undefined && reached) return undefined;
    current = (next ?? unverified(link))?.key ?? '';
    reached ||= fingerprintOf(current) === pinned;
  }
  return reached ? current : undefined;
}

/** The newest key's statement about a program, for a reader who has pinned `pinned`. */
export function provenProgram(pinned: string, proof: ReleaseProof, what: Signed): ProgramStatement | undefined {
  const key = newestKey(pinned, proof);
  return key === undefined ? undefined : read(programStatement, what, key);
}

/** The key that an installation signs with now, as it says itself. */
export function currentKey({ key, chain }: Trust): string {
  return chain.reduce((_, link) => unverified(link)?.key ?? '', key);
}

function read<T>(schema: z.ZodType<T>, { statement, signature }: Signed, key: string): T | undefined {
  try {
    const der = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    if (der.asymmetricKeyType !== 'ed25519') return undefined;
    if (!verify(null, Buffer.from(statement), der, Buffer.from(signature, 'base64'))) return undefined;
    return schema.parse(JSON.parse(statement));
  } catch {
    return undefined;
  }
}

function unverified({ statement }: Signed) {
  try {
    return keyStatement.safeParse(JSON.parse(statement)).data;
  } catch {
    return undefined;
  }
}
