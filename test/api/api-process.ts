import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, inject } from 'vitest';
import { createKeysFile } from '../../db/keys/keys.ts';
import { bareEnvironment } from '../ground/bare-environment.ts';
import { type FreshDatabase, freshDatabase } from '../ground/fresh-database.ts';
import { until } from '../ground/until.ts';

export let fresh: FreshDatabase;
export let home: string;

export function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [new URL('../../api/main.ts', import.meta.url).pathname], {
    env: {
      ...bareEnvironment,
      PORT: '0',
      BALLAST_HOME: home,
      KEYS_FILE: join(home, 'keys.json'),
      DATABASE_URL: fresh.url,
      TEMPORAL_ADDRESS: inject('ground').temporal.address,
      ...env,
    },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const address = () => until('it listens', async () => /"address":"(http:[^"]+)"/.exec(out)?.[1]);
  return { child, exited, address, stderr: () => err };
}

/** A database and a home for each test, on which an API is started as a process. */
export function apiProcesses(): void {
  beforeEach(async () => {
    fresh = await freshDatabase();
    home = await mkdtemp(join(tmpdir(), 'ballast-api-main-'));
    await createKeysFile(join(home, 'keys.json'));
  });
  afterEach(async () => {
    await fresh.drop();
    await rm(home, { recursive: true });
  });
}
