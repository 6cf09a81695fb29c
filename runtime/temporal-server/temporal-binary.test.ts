import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { findTemporal } from './temporal-binary.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder();
});

function install(does: string, names = ['temporal-server', 'temporal-sql-tool']): string {
  for (const name of names) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${does}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  return join(directory, 'temporal-server');
}

const telling = (version: string) => `echo temporal version ${version}`;

const find = (explicit?: string, env: Record<string, string> = {}, versionMilliseconds = 30_000) =>
  findTemporal({
    explicit,
    progress: () => {},
    buildLog: join(directory, 'build.log'),
    env: { PATH: '/usr/bin:/bin', ...env },
    limits: { versionMilliseconds },
  });

test('the server that is named is used when its version is right', async () => {
  const server = install(telling(temporalVersion));
  expect(await find(server)).toEqual({ server, sqlTool: join(directory, 'temporal-sql-tool') });
});

test('the server that is named is refused, not passed over, when it will not do', async () => {
  await expect(find(join(directory, 'temporal-server'))).rejects.toThrow(
    /^TEMPORAL_SERVER is .+ is not there; correct it/,
  );
  await expect(find(install(telling('1.29.0')))).rejects.toThrow(
    /^TEMPORAL_SERVER is .+, version 1\.29\.0, and 1\.31\.2 is needed/,
  );
  chmodSync(join(directory, 'temporal-sql-tool'), 0o644);
  await expect(find(install(telling(temporalVersion), []))).rejects.toThrow(/temporal-sql-tool is not a program/);
});

test('a server that is too slow to tell its version is not called one of unknown version', async () => {
  const server = install('exec sleep 60');
  await expect(find(server, {}, 200)).rejects.toThrow(
    /temporal-server --version did not end within 0\.2 s; try again when the machine is less busy\.$/,
  );
});

test('a server on the PATH is used when its version is right, and the cache otherwise', async () => {
  const server = install(telling(temporalVersion));
  const env = { PATH: `${directory}:/usr/bin:/bin`, XDG_CACHE_HOME: directory };
  expect((await find(undefined, env)).server).toBe(server);

  install(telling('1.29.0'));
  const cached = join(directory, 'ballast', `temporal-server-${temporalVersion}-${process.platform}-${process.arch}`);
  mkdirSync(cached, { recursive: true });
  expect((await find(undefined, env)).server).toBe(join(cached, 'temporal-server'));
});
