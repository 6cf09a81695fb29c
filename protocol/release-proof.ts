import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The signed statement, byte for byte, and its signature (Ed25519, base64). */
export const signed = z.object({ statement: z.string().max(1000), signature: z.string().max(200) });
export type Signed = z.infer<typeof signed>;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
/** A public key as DER (SubjectPublicKeyInfo) in base64. */
const publicKey = z.string().regex(/^[A-Za-z0-9+/]{40,200}={0,2}$/);

/**
 * `agent`: a bundle of the agent. `runtime`: a Node to run it with. `platform` is `any` or one such as `linux-x64`.
 * Epochs grow with each statement, so that an old one cannot be put in the place of a new one.
 */
export const programStatement = z.object({
  kind: z.enum(['agent', 'runtime']),
  version: z.string().max(100),
  platform: z.string().max(64),
  digest,
  epoch: z.int().min(0),
});
export type ProgramStatement = z.infer<typeof programStatement>;

/** From now on the installation signs with another key. Signed by the key before. */
export const keyStatement = z.object({ kind: z.literal('key'), key: publicKey, epoch: z.int().min(0) });
export type KeyStatement = z.infer<typeof keyStatement>;

/** The keys of an installation: the first one, and a statement for each that came after it. */
export const trust = z.object({ key: publicKey, chain: z.array(signed).max(64) });
export type Trust = z.infer<typeof trust>;

/** Why a release may be believed. `runtime` is about the Node that the control plane gives to machines without one. */
export const releaseProof = trust.extend({ release: signed, runtime: signed.optional() });
export type ReleaseProof = z.infer<typeof releaseProof>;

/** SHA-256 of a public key in hexadecimal: what agents pin, and what people compare. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex');
}

export const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);
