import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { Refusal } from '../supervisor/refusal.ts';
import type { Home } from './home.ts';

/** Passwords of the embedded PostgreSQL's roles: its superuser, the product, Temporal. */
const passwords = z.object({ postgres: z.string(), ballast: z.string(), temporal: z.string() });
export type Passwords = z.infer<typeof passwords>;

export function readPasswords(home: Home): Passwords {
  const path = home.file('keys', 'postgres-passwords.json');
  try {
    return passwords.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Refusal(
      `${path} is missing or damaged, and PostgreSQL lets nobody in without it; restore it from a backup.`,
    );
  }
}

export function ensurePasswords(home: Home): Passwords {
  const path = home.file('keys', 'postgres-passwords.json');
  // Never created again for existing data: that would only hide that the old ones were lost.
  if (!existsSync(path) && home.record.postgresMajor === undefined) {
    const made: Passwords = { postgres: password(), ballast: password(), temporal: password() };
    writeFileAtomically(path, `${JSON.stringify(made, undefined, 2)}\n`);
  }
  return readPasswords(home);
}

function password(): string {
  return randomBytes(32).toString('base64url');
}
