import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { isAlive, type ProcessIdentity, signal } from '../../machine/process-identity.ts';
import type { Home } from '../home/home.ts';
import { ensurePasswords } from '../home/passwords.ts';
import { makePostgresSocketDirectory } from '../sockets/socket-directory.ts';
import type { Part } from '../supervisor/part.ts';
import { postgresVersion } from '../supervisor/versions.ts';
import { postgresSocketDirectory, postgresUrl, socketPort } from './postgres-address.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { ensureData, leftovers } from './postgres-data.ts';
import { postgresUser, type SystemUser } from './postgres-user.ts';

/** The embedded PostgreSQL: on a unix socket only, with passwords, as a user of its own where we are root. */
export function postgresPart(home: Home, onWait: () => void): Part {
  let made: { binaries: PostgresBinaries; data: string; user: SystemUser | undefined } | undefined;
  return {
    name: 'postgres',
    title: `PostgreSQL ${postgresVersion}`,
    prepare: async () => {
      if (made === undefined) {
        const user = postgresUser();
        const binaries = await postgresBinaries(onWait);
        const { postgres: superuserPassword } = ensurePasswords(home);
        const data = await ensureData({ home, user, binaries, superuserPassword });
        made = { binaries, data, user };
      }
      await endAll(leftovers(made.data));
      removeSocket(makePostgresSocketDirectory(home, made.user));
    },
    command: () => {
      if (made === undefined) throw new Error('prepare() comes before command()');
      return {
        file: made.binaries.postgres,
        args: [
          '-D',
          made.data,
          ...options({ ...parameters, unix_socket_directories: quoted(postgresSocketDirectory(home)) }),
        ],
        env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
        cwd: made.data,
        user: made.user,
      };
    },
    ready: () => answers(postgresUrl(home, 'postgres')),
    // "Fast": sessions are ended, everything is written. "Immediate" leaves the rest to recovery at the next start.
    stopSignal: 'SIGINT',
    hurrySignal: 'SIGQUIT',
  };
}

/** Given on the command line and not in a file, so that a new version of Ballast never meets old parameters. */
const parameters = {
  // A port of this machine can be taken by anybody, who would be told our passwords; a closed directory cannot.
  listen_addresses: '',
  port: String(socketPort),
  unix_socket_permissions: '0700',
  max_connections: '200',
  // Memory that was touched once is never given back, and the system's own cache holds the same pages.
  shared_buffers: '96MB',
  wal_compression: 'on',
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  // The index of a busy table of processes is read at random, and nearly all of it from memory.
  random_page_cost: '1.1',
  password_encryption: 'scram-sha-256',
  log_line_prefix: '%m [%p] %q%a ',
  log_timezone: 'UTC',
  timezone: 'UTC',
  log_checkpoints: 'off',
  // A parameter can be a secret.
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

function options(values: Record<string, string>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** PostgreSQL reads a list here. */
function quoted(directory: string): string {
  return `"${directory.replaceAll('"', '""')}"`;
}

/**
 * A killed server leaves its socket and a lock file with its pid, which keeps the next one from starting if another
 * process has got that pid. Nobody else uses the directory, and the old server has ended.
 */
function removeSocket(directory: string): void {
  for (const ending of ['', '.lock']) rmSync(join(directory, `.s.PGSQL.${socketPort}${ending}`), { force: true });
}

export async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** After a kill -9 of the server its children linger for a moment, and a new server must not start beside them. */
async function endAll(processes: ProcessIdentity[]): Promise<void> {
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const one of processes) signal(one, name);
    for (let tries = 0; tries < 40 && processes.some(isAlive); tries += 1) await wait(50);
  }
}
