import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataOfRoot, makeDataOfRoot } from '../../../runtime/postgres/postgres-data.ts';
import { postgresUser } from '../../../runtime/postgres/postgres-user.ts';

const copy = promisify(execFile);

/** Of this run of the tests, if it prepared one: what a first start makes of a home, and no later one does again. */
let prepared: string | undefined;

export function usePreparedHome(path: string): void {
  prepared = path;
}

/** Has an installation go on where a first start and a stop have ended, as another installation. */
export async function copyPreparedHome(home: string): Promise<void> {
  if (prepared === undefined) return;
  const from = prepared;
  mkdirSync(home, { mode: 0o700 });
  for (const name of readdirSync(from)) {
    if (name !== 'postgres' && name !== 'home.json') cpSync(join(from, name), join(home, name), { recursive: true });
  }
  const installation = randomUUID();
  const { sockets: _, ...record } = JSON.parse(readFileSync(join(from, 'home.json'), 'utf8'));
  const text = JSON.stringify({ ...record, installation, ports: {} });
  writeFileSync(join(home, 'home.json'), text, { mode: 0o600 });
  await copyData(join(from, 'postgres'), join(home, 'postgres'), installation);
}

/** PostgreSQL's data stay its user's. As root they lie elsewhere, see `dataOfRoot`. */
async function copyData(from: string, to: string, installation: string): Promise<void> {
  const user = postgresUser();
  if (user === undefined) {
    await copy('cp', ['-Rp', from, to]);
    return;
  }
  const own = join(dataOfRoot, installation);
  makeDataOfRoot();
  mkdirSync(own, { mode: 0o700 });
  chownSync(own, user.uid, user.gid);
  await copy('cp', ['-Rp', `${from}/`, join(own, 'postgres')]);
  symlinkSync(join(own, 'postgres'), to);
}

/** Leaves nothing in a stopped home that tells of its start. */
export function forgetStart(home: string): void {
  for (const folder of ['run', 'logs']) {
    for (const name of readdirSync(join(home, folder))) rmSync(join(home, folder, name), { recursive: true });
  }
}

/** A flush protects against the machine's own failure, which no test stands for: what a killed PostgreSQL wrote is there. */
export function neverFlush(home: string): void {
  appendFileSync(join(home, 'postgres', 'postgresql.auto.conf'), 'fsync = off\n');
}
