import type { Home } from '../home/home.ts';
import { type Passwords, readPasswords } from '../home/passwords.ts';
import { socketDirectory } from '../sockets/socket-directory.ts';
import { Refusal } from '../supervisor/refusal.ts';

export type PostgresRole = keyof Passwords;
export const databases = {
  ballast: 'ballast',
  temporal: 'temporal',
  temporalVisibility: 'temporal_visibility',
} as const;

/** Part of the socket's name, `.s.PGSQL.5432`: nothing listens on a port. */
export const socketPort = 5432;

export function postgresSocketDirectory(home: Home): string {
  const directory = socketDirectory(home, 'postgres');
  if (directory === undefined)
    throw new Refusal(`PostgreSQL was never started in ${home.path}; run \`./ballast up\` first.`);
  return directory;
}

/** The address of the embedded PostgreSQL for one of its roles, in the form that libpq knows as well. */
export function postgresUrl(home: Home, role: PostgresRole, database: string = role): string {
  const host = encodeURIComponent(postgresSocketDirectory(home));
  return `postgresql://${role}:${readPasswords(home)[role]}@${host}:${socketPort}/${database}`;
}
