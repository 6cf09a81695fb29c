import type { Home } from '../home/home.ts';
import { type Passwords, readPasswords } from '../home/passwords.ts';
import { Refusal } from '../supervisor/refusal.ts';

export type PostgresRole = keyof Passwords;
export const databases = {
  ballast: 'ballast',
  temporal: 'temporal',
  temporalVisibility: 'temporal_visibility',
} as const;

/** The address of the embedded PostgreSQL for one of its roles. */
export function postgresUrl(home: Home, role: PostgresRole, database: string = role): string {
  const port = home.record.ports.postgres;
  if (port === undefined)
    throw new Refusal(`PostgreSQL was never started in ${home.path}; run \`./ballast up\` first.`);
  return `postgresql://${role}:${readPasswords(home)[role]}@127.0.0.1:${port}/${database}`;
}
