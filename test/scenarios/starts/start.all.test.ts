import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../domain/settings/settings.ts';
import { officialArchive } from '../../../runtime/temporal-server/temporal-archive.ts';
import { findTemporal } from '../../../runtime/temporal-server/temporal-binary.ts';
import { packRelease, releaseHost } from '../../images/release-host.ts';
import type { CommandResult } from '../../installation/ballast-command.ts';
import { Installation } from '../../installation/installation.ts';
import { type PartName, partNames } from '../../installation/running-parts.ts';
import { barePath } from '../../machines/bare-machine.ts';

const machine = mkdtempSync(join(tmpdir(), 'ballast-new-machine-'));
const release = basename(officialArchive());

/** As on a machine that has only Node and git, with a host of ours in place of that of Temporal's releases. */
const host = await releaseHost();
const authority = join(machine, 'authority.pem');
writeFileSync(authority, host.ca);
const found = await findTemporal({
  explicit: readSettings(process.env).TEMPORAL_SERVER,
  progress: () => {},
  buildLog: join(machine, 'build.log'),
});
const archive = host.release(release, await packRelease(found));
const installation = await Installation.prepare('start', {
  TEMPORAL_ARCHIVE: archive,
  NODE_EXTRA_CA_CERTS: authority,
  // As somebody types it in the directory of `runBallast`: API and worker work in another one.
  OUTBOUND_CA_FILE: relative('/', authority),
  XDG_CACHE_HOME: machine,
  PATH: barePath(machine),
});
await installation.start();
afterAll(async () => {
  await installation.remove();
  await host.close();
  rmSync(machine, { recursive: true });
});

async function doctor(): Promise<{ code: number | null; broken: string[] }> {
  const { code, stdout } = await installation.run('doctor', '--json');
  const { findings }: { findings: { name: string; state: string }[] } = JSON.parse(stdout);
  return { code, broken: findings.filter(({ state }) => state === 'broken').map(({ name }) => name) };
}

describe('what a start shows', () => {
  test('each part, the address, and how to stop it', () => {
    for (const part of ['PostgreSQL', 'Temporal', 'API', 'Worker']) {
      expect(installation.output).toMatch(new RegExp(`^✓ ${part}.* ready`, 'm'));
    }
    expect(installation.output).toContain(`Ballast is ready at ${installation.settings.PUBLIC_URL}`);
    expect(installation.output).toContain('Ctrl-C');
  });

  test('the Temporal server is downloaded, and no line sounds like trouble', () => {
    expect(host.asked.get(`/v1/${release}`)).toBe(1);
    expect(installation.output).not.toMatch(/error|fail|ended with code/i);
  });

  test('it is ready when it says so, and its home is closed to others', async () => {
    expect((await installation.readiness())?.ready).toBe(true);
    expect(statSync(installation.home).mode & 0o777).toBe(0o700);
  });

  test('the organization `default` is there before anyone has signed in', async () => {
    const words = ['--name', 'first', '--role', 'viewer', '--organization', 'default', '--json'];
    const { secret }: { secret: string } = JSON.parse((await installation.run('token', 'create', ...words)).stdout);
    const as = { token: secret, id: '' };
    const { status, body } = await installation.call('GET', '/api/v1/organizations', { as });
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ slug: 'default', role: 'viewer' }]);
  });
});

describe('doctor', () => {
  test('finds nothing wrong with what was just started', async () => {
    const { code, stdout } = await installation.run('doctor');
    expect(stdout).not.toContain('✗');
    expect(stdout).not.toContain('–');
    expect(code).toBe(0);
  });

  const frozen: [PartName, string, string][] = [
    ['temporal', 'temporal', 'Temporal'],
    ['worker', 'worker', 'Workers'],
    ['postgres', 'database', 'PostgreSQL'],
  ];
  test.each(frozen)('it and /readyz name %s when that hangs', async (part, inReadiness, inDoctor) => {
    installation.parts.freeze(part);
    try {
      await installation.until(
        `/readyz names ${inReadiness}`,
        async () => (await installation.readiness())?.parts[inReadiness]?.ready === false,
      );
      const found = await doctor();
      expect(found.code).toBe(1);
      expect(found.broken).toContain(inDoctor);
    } finally {
      installation.parts.thaw(part);
    }
    await installation.ready();
    expect(await doctor()).toEqual({ code: 0, broken: [] });
  });
});

test('keys are rotated while everything runs', async () => {
  const { stdout } = await installation.run('keys', 'rotate', '--json');
  expect(JSON.parse(stdout).rewrapped).toBeGreaterThan(0);
  expect(await doctor()).toEqual({ code: 0, broken: [] });
});

describe('what cannot be done is refused in one sentence', () => {
  function expectSentence({ code, stdout, stderr }: CommandResult, pattern: RegExp): void {
    expect(stderr).toMatch(/^ballast: [^\n]+[.]\n$/);
    expect(stderr).not.toMatch(/\n\s+at |Error:/);
    expect(stderr).toMatch(pattern);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  }

  /** A start with a home of its own, and whatever is wrong with it. */
  async function startWith(env: Record<string, string>, spoil: (home: string) => void = () => undefined) {
    const other = await Installation.prepare('start-refused', env);
    try {
      spoil(other.env.BALLAST_HOME ?? '');
      return await other.run('up');
    } finally {
      await other.remove();
    }
  }

  test('a second start on the same home', async () => {
    expectSentence(await installation.run('up'), /already running at http:.*stop it first/);
  });

  test('a port that somebody else has', async () => {
    expectSentence(await startWith({ PORT: String(installation.port) }), /^ballast: Port \d+ .* is taken.*set PORT/);
  });

  test('a home that cannot be written', async () => {
    const file = join(installation.home, 'home.json');
    expectSentence(await startWith({ BALLAST_HOME: join(file, 'home') }), /cannot be written .*BALLAST_HOME/);
  });

  test('a directory that is no home', async () => {
    expectSentence(await startWith({ BALLAST_HOME: import.meta.dirname }), /holds other files .* no home\.json/);
  });

  test.each([
    [{ layout: 99 }, /newer Ballast .*start the newer version/],
    [{ postgresMajor: 17 }, /PostgreSQL 17/],
    [{ historyShards: 4096 }, /4096 history shards/],
    [{ temporalVersion: '9.0.0' }, /Temporal 9\.0\.0/],
  ])('a home of another version: %j', async (changed, sentence) => {
    const record = JSON.parse(readFileSync(join(installation.home, 'home.json'), 'utf8'));
    const directory = await Installation.prepare('start-refused');
    try {
      directory.emptyHome();
      writeFileSync(join(directory.home, 'home.json'), JSON.stringify({ ...record, ...changed }));
      expectSentence(await directory.run('up'), sentence);
    } finally {
      await directory.remove();
    }
  });

  test.each([
    [{ PORT: '80a' }, /^ballast: PORT is "80a"/],
    [{ TEMPORAL_ADRESS: 'localhost:7233' }, /did you mean TEMPORAL_ADDRESS/],
    [{ LISTEN: '192.0.2.1', PUBLIC_URL: 'https://ballast.example.com' }, /192\.0\.2\.1/],
    [{ DATABASE_URL: 'postgresql://ballast:hunter2@127.0.0.1:9/ballast' }, /PostgreSQL at 127\.0\.0\.1:9/],
  ])('a wrong setting: %j', async (env, sentence) => {
    const result = await startWith(env);
    expectSentence(result, sentence);
    expect(result.stderr).not.toContain('hunter2');
  });
});

describe('stop and start again', () => {
  test('Ctrl-C ends everything, and nothing is left', async () => {
    const processes = installation.processes();
    expect(processes.length).toBeGreaterThan(partNames.length);
    // Fails by itself if a process is left.
    await installation.stop();
    expect(installation.processes()).toEqual([]);
  });

  test('a warm start has what was there before', async () => {
    await installation.start();
    expect((await installation.readiness())?.ready).toBe(true);
    const database = await installation.database();
    const tokens = await database.kysely.selectFrom('api_token').select('name').execute();
    expect(tokens).toEqual([{ name: 'first' }]);
  });

  test('Ctrl-C in the middle of a start leaves nothing either', async () => {
    await installation.stop();
    const starting = installation.start().catch((error: unknown) => error);
    await installation.until('PostgreSQL is ready', async () => installation.output.includes('PostgreSQL'));
    await installation.stop();
    await starting;
  });
});
