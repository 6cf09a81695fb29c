import { spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeysFile } from '../../db/keys/keys.ts';
import { bareEnvironment } from '../../test/ground/bare-environment.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { groundTemporalSettings } from '../../test/ground/ground-temporal.ts';
import { until } from '../../test/ground/until.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { type SmallDisk, smallDisk } from '../../test/machines/small-disk.ts';

let disk: SmallDisk | undefined;
let api: RunningApi;

beforeAll(async () => {
  disk = smallDisk(8);
  api = await runningApi(disk === undefined ? {} : { env: { BALLAST_HOME: disk.directory } });
});
afterAll(async () => {
  await api.close();
  disk?.remove();
});

interface Part {
  ready: boolean;
  detail?: string;
}
const partOf = async (name: string, at = api.url) =>
  ((await (await fetch(`${at}/readyz`)).json()) as { parts: Record<string, Part> }).parts[name];

test('/readyz tells of a disk that is nearly full, and names the one that is', async ({ skip }) => {
  if (disk === undefined) return skip();
  const { directory, fill, free } = disk;
  const says = async (ready: boolean, text: string) =>
    until(text, async () => {
      const part = await partOf('disk');
      return part?.ready === ready && part.detail?.includes(text) === true;
    });
  fill();
  await says(false, 'The disk of BALLAST_HOME is full, and writes fail; free space on it');
  // For everybody, so without a path of this machine.
  expect((await api.call('GET', '/readyz')).text).not.toContain(directory);
  free();
  await until('it is ready again', async () => (await partOf('disk'))?.ready === true);
});

test('/readyz asks PostgreSQL for room on its disk, and recovers by itself', async ({ skip }) => {
  const own = smallDisk(8);
  if (own === undefined) return skip();
  const rows = await api.sql<{ data: string; name: string }>`
    select current_setting('data_directory') as data, current_database() as name`;
  const [{ data, name } = { data: '', name: '' }] = rows;
  const place = join(own.directory, 'space');
  mkdirSync(place);
  const { uid, gid } = statSync(data);
  chownSync(own.directory, uid, gid);
  chownSync(place, uid, gid);
  await api.sql`create tablespace ${sql.ref(name)} location ${sql.lit(place)}`;
  try {
    await api.sql`alter database ${sql.ref(name)} set temp_tablespaces = ${sql.lit(name)}`;
    own.fill();
    const ofDisk = await runningApi({
      beside: { url: api.databaseUrl, keysFile: join(api.registryDirectory, '..', 'keys.json') },
    });
    const full = await until('the database has no room', async () => {
      const part = await partOf('database', ofDisk.url);
      return part?.ready === false && part;
    });
    expect(full.detail).toMatch(/the disk of PostgreSQL is full; free space on it/);
    own.free();
    await until('it has room', async () => (await partOf('database', ofDisk.url))?.ready === true);
    await ofDisk.close();
  } finally {
    await api.sql`alter database ${sql.ref(name)} reset temp_tablespaces`;
    await api.sql`drop tablespace ${sql.ref(name)}`;
    own.remove();
  }
});

test('an API whose log is on a full disk answers, and tells afterwards how many lines are missing', async ({
  skip,
}) => {
  const own = smallDisk(4);
  if (own === undefined) return skip();
  const fresh = await freshDatabase();
  await createKeysFile(join(own.directory, 'keys.json'));
  const [port, path] = [await freePort(), join(own.directory, 'api.log')];
  const log = openSync(path, 'a');
  const env = {
    ...bareEnvironment,
    ...groundTemporalSettings('nowhere'),
    ...{ PORT: String(port), BALLAST_HOME: own.directory, KEYS_FILE: join(own.directory, 'keys.json') },
    ...{ DATABASE_URL: fresh.url, METRICS_TOKEN_FILE: join(own.directory, 'token') },
  };
  const child = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const at = `http://127.0.0.1:${port}`;
  try {
    await until('it answers', async () => (await partOf('database', at).catch(() => undefined))?.ready === true);
    own.fill();
    await until('it says that its disk is full', async () => {
      expect(child.exitCode, readFileSync(path, 'utf8')).toBeNull();
      // A line for each.
      await fetch(`${at}/api/v1/nowhere`);
      return (await partOf('disk', at))?.ready === false;
    });
    const before = readFileSync(path, 'utf8').length;
    for (let number = 0; number < 60; number += 1) expect((await fetch(`${at}/api/v1/nowhere`)).status).toBe(404);
    expect(readFileSync(path, 'utf8').length).toBe(before);
    own.free();
    await until('it says what is missing', async () => {
      await fetch(`${at}/api/v1/nowhere`);
      return readFileSync(path, 'utf8').includes('The disk of this log was full since');
    });
    expect(child.exitCode).toBeNull();
    expect(readFileSync(path, 'utf8')).not.toMatch(/^\s+at /m);
  } finally {
    child.kill('SIGKILL');
    await fresh.drop();
    own.remove();
  }
});
