import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findTemporal } from '../../../runtime/temporal-server/temporal-binary.ts';
import { until } from '../../ground/until.ts';
import { Installation } from '../../installation/installation.ts';
import { familyOf } from '../../installation/process-family.ts';
import { partNames } from '../../installation/running-parts.ts';
import { barePath } from '../../machines/bare-machine.ts';

const machine = mkdtempSync(join(tmpdir(), 'ballast-build-first-'));
const [building, order] = ['building', 'order'].map((name) => join(machine, name)) as [string, string];
let installation: Installation;

/** A Go that builds until it is told how to end: with the server that this machine has, or as on a full disk. */
beforeAll(async () => {
  const found = await findTemporal({
    explicit: process.env.TEMPORAL_SERVER || undefined,
    progress: () => {},
    buildLog: join(machine, 'build.log'),
  });
  const script = `#!/bin/sh
case "$1" in
  env) echo go1.99.0 ;;
  list) printf 'a/b\\nc/d\\ne/f\\ng/h\\n' ;;
  build)
    printf 'a/b\\nc/d\\n' >&2
    : > ${building}
    until [ -e ${order} ]; do sleep 0.05; done
    if [ "$(cat ${order})" = fail ]; then echo 'e/f: no space left on device' >&2; exit 1; fi
    while [ "$1" != -o ]; do shift; done
    cp ${found.server} "$2/server" && cp ${found.sqlTool} "$2/sql" ;;
esac
`;
  writeFileSync(join(barePath(machine), 'go'), script, { mode: 0o755 });
});
beforeEach(async () => {
  for (const file of [building, order]) rmSync(file, { force: true });
  installation = await Installation.prepare('build-first', {
    ...{ PATH: join(machine, 'bin'), XDG_CACHE_HOME: machine, TEMPORAL_SERVER: '' },
    // Nobody listens at this port: no address of the internet is reached.
    ...{ HTTPS_PROXY: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1' },
  });
});
afterEach(() => installation.remove());
afterAll(() => rmSync(machine, { recursive: true }));

/** While Go builds: what there is of the installation. */
async function lookWhileBuilding(): Promise<void> {
  await until('the build is shown', async () => installation.output.includes('50 % (2 of 4 packages)'));
  const supervisor = await until('the supervisor is known', async () => installation.parts.supervisor());
  const pids = familyOf(supervisor).map(({ pid }) => pid);
  const programs = execFileSync('ps', ['-ww', '-o', 'args=', '-p', pids.join()], { encoding: 'utf8' });
  expect(programs).toContain(`${join(machine, 'bin', 'go')} build`);
  expect(programs).not.toMatch(/postgres|--config-file|main\.ts (api|worker|identity)|launcher/);
  expect(partNames.filter((name) => installation.parts.find(name) !== undefined)).toEqual([]);
  expect(existsSync(join(installation.home, 'postgres'))).toBe(false);
  expect(readdirSync(join(installation.home, 'logs'))).toEqual(['temporal-build.log']);
  expect(installation.output).not.toMatch(/✓|is starting|ended with code/);
}

test('a build that fails names its log and what helps, and nothing was started', async () => {
  const ended = installation.start().catch(() => 'ended');
  await until('Go builds', async () => existsSync(building));
  await lookWhileBuilding();
  writeFileSync(order, 'fail');
  expect(await ended).toBe('ended');
  const log = join(installation.home, 'logs', 'temporal-build.log');
  const sentence = installation.output.split('\n').find((line) => line.startsWith('ballast: '));
  for (const part of ['no space left on device', log, 'TEMPORAL_ARCHIVE', 'TEMPORAL_SERVER', 'start again'])
    expect(sentence).toContain(part);
  expect(readFileSync(log, 'utf8')).toContain('no space left on device');
  expect(installation.output).not.toMatch(/\n\s+at |Error:|✓/);
  expect(existsSync(join(installation.home, 'postgres'))).toBe(false);
});

test('no part starts before the server is built', async () => {
  const starting = installation.start().catch(() => 'ended');
  await until('Go builds', async () => existsSync(building));
  await lookWhileBuilding();
  writeFileSync(order, 'succeed');
  await installation.until(
    'PostgreSQL is ready',
    async () => /✓ PostgreSQL [\d.]+ ready/.test(installation.output),
    240,
  );
  const first = installation.output.split('\n').findIndex((line) => line.includes('✓'));
  const built = installation.output.split('\n').findLastIndex((line) => line.includes('building the Temporal server'));
  expect(built).toBeLessThan(first);
  await installation.stop();
  await starting;
});
