import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeysFile, type Keyring, openKeyring } from '../../db/keys/keys.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { type Database, openDatabase } from '../../db/postgres/database.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { type Ground as RunningGround, startGround } from '../../runtime/ground.ts';
import { readHome } from '../../runtime/home/home.ts';
import { readRunRecord } from '../../runtime/supervisor/run-record.ts';
import type { TemporalAddress } from '../../temporal/connection/connect.ts';
import { removeHome } from '../../test/ground/remove-home.ts';

/** PostgreSQL and Temporal as `./ballast up` starts them, in a home of their own, with an empty migrated database. */
export interface Ground extends AsyncDisposable {
  database: Database;
  keyring: Keyring;
  temporal: TemporalAddress;
  /** The settings that lead a process here. */
  env: Readonly<Record<string, string>>;
  /** The processes of PostgreSQL and Temporal. */
  pids: readonly number[];
  /** For files that go when the ground goes. */
  file(name: string): string;
}

const namespace = 'ballast';

export async function openGround(): Promise<Ground> {
  await using opening = new AsyncDisposableStack();
  const directory = temporaryDirectory();
  opening.defer(() => rmSync(directory, { recursive: true, force: true }));
  const home = join(directory, 'home');
  const { TEMPORAL_SERVER } = readSettings(process.env);
  const running = await startGround({ home, temporalServer: TEMPORAL_SERVER, log: () => undefined });
  opening.defer(async () => {
    await running.stop();
    removeHome(home);
  });
  const { url } = running.postgres;
  await migrate(url, () => undefined);
  const keysFile = join(directory, 'keys.json');
  await createKeysFile(keysFile);
  const database = await openDatabase({ url, applicationName: 'ballast bench', poolMax: 4 });
  opening.defer(() => database.close());
  const keyring = await openKeyring(database, keysFile);
  const opened = opening.move();
  return {
    database,
    keyring,
    temporal: addressOf(running),
    env: { DATABASE_URL: url, KEYS_FILE: keysFile, BALLAST_HOME: directory, ...temporalEnv(running) },
    pids: Object.values(readRunRecord(readHome(home))?.parts ?? {}).map(({ pid }) => pid),
    file: (name) => join(directory, name),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'ballast-bench-'));
}

export function addressOf({ temporal: { address, tls } }: Pick<RunningGround, 'temporal'>): TemporalAddress {
  const [ca, cert, key] = [tls.caFile, tls.certFile, tls.keyFile].map((file) => readFileSync(file));
  if (!ca || !cert || !key) throw new Error('A certificate is missing.');
  return { address, namespace, tls: { ca, cert, key, serverName: tls.serverName } };
}

export function temporalEnv({ temporal: { address, tls } }: Pick<RunningGround, 'temporal'>): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TLS_CA_FILE: tls.caFile,
    TEMPORAL_TLS_CERT_FILE: tls.certFile,
    TEMPORAL_TLS_KEY_FILE: tls.keyFile,
    TEMPORAL_TLS_SERVER_NAME: tls.serverName,
  };
}
