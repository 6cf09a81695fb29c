import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { Refusal } from '../program/refusal.ts';

const identity = z.object({
  url: z.string(),
  credential: z.string(),
  /** A newer one: told to the control plane, perhaps, or about to be. */
  pending: z.string().optional(),
  /** Missing while the enrolment is under way. */
  cluster: z.object({ id: z.string(), name: z.string() }).optional(),
  /** A file with certificates to trust. */
  caFile: z.string().optional(),
});
export type Identity = z.infer<typeof identity>;

/** Who this agent is to its control plane: `agent.json` in its home. */
export function readIdentity(home: string): Identity | undefined {
  const path = join(home, 'agent.json');
  if (!existsSync(path)) return undefined;
  try {
    return identity.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Refusal(
      `${path} cannot be read as what an agent keeps there; delete it and join again with a new token.`,
    );
  }
}

export function writeIdentity(home: string, changed: Identity): void {
  writeFileAtomically(join(home, 'agent.json'), `${JSON.stringify(changed, null, 2)}\n`);
}

export function forgetIdentity(home: string): void {
  rmSync(join(home, 'agent.json'), { force: true });
}

export function makeCredential(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOf(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
}
