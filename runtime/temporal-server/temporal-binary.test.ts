import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { temporalVersion } from '../supervisor/versions.ts';
import { findTemporal } from './temporal-binary.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-temporal-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

function install(version: string, names = ['temporal-server', 'temporal-sql-tool']): string {
  for (const name of names) {
    writeFileSync(join(directory, name), `#!/bin/sh\necho temporal version ${version}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  return join(directory, 'temporal-server');
}

const find = (explicit?: string) =>
  findTemporal({ explicit, progress: () => {}, buildLog: join(directory, 'build.log') });

test('the server that is named is used when its version is right', async () => {
  const server = install(temporalVersion);
  expect(await find(server)).toEqual({ server, sqlTool: join(directory, 'temporal-sql-tool') });
});

test('the server that is named is refused, not passed over, when it will not do', async () => {
  await expect(find(join(directory, 'temporal-server'))).rejects.toThrow(
    /^TEMPORAL_SERVER is .+ is no program; correct it/,
  );
  await expect(find(install('1.29.0'))).rejects.toThrow(
    /^TEMPORAL_SERVER is .+, version 1\.29\.0, and 1\.31\.2 is needed/,
  );
  rmSync(join(directory, 'temporal-sql-tool'));
  await expect(find(install(temporalVersion, []))).rejects.toThrow(/temporal-sql-tool is no program/);
});

test('a server on the PATH is used when its version is right, and the cache otherwise', async () => {
  const server = install(temporalVersion);
  vi.stubEnv('PATH', `${directory}:/usr/bin:/bin`);
  expect((await find()).server).toBe(server);

  install('1.29.0');
  const cached = join(directory, 'ballast', `temporal-server-${temporalVersion}-${process.platform}-${process.arch}`);
  vi.stubEnv('XDG_CACHE_HOME', directory);
  mkdirSync(cached, { recursive: true });
  expect((await find()).server).toBe(join(cached, 'temporal-server'));
});
