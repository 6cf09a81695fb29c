import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Ended } from '../../test/commands/command-host.ts';
import { runningApi, seed, seedToken } from '../../test/installation/running-api.ts';
import { asTyped } from './commands.ts';
import { keptClient, rooms } from './kept-client.ts';
import { makeClient } from './make-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-client-'));
const script = join(directory, 'ballast.mjs');
const [made, api] = await Promise.all([makeClient(), runningApi()]);
writeFileSync(script, made.script);
afterAll(async () => {
  await api.close();
  rmSync(directory, { recursive: true });
});

/** In a directory with this one file, and with nothing in the environment but this. */
function ballast(words: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...words], { env, cwd: directory }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

test('it is one file of less than 3 MB, made of what its cache is named after', async () => {
  expect(made.script.length).toBeLessThan(3_000_000);
  const ours = made.inputs.filter((file) => !/^(node_modules\/|package\.json$|<define:)/.test(file));
  expect([...new Set(ours.map((file) => file.split('/')[0]))].filter((room = '') => !rooms.includes(room))).toEqual([]);
  // Nothing of an installation: neither its clients nor its servers.
  expect(ours.filter((file) => /^(db|api|worker|temporal|identity|backup)\//.test(file))).toEqual([]);
  const again = await makeClient();
  expect(again.script.equals(made.script)).toBe(true);
});

test('it tells its own commands by its own name', async () => {
  const { code, out } = await ballast(['help']);
  expect(code).toBe(0);
  for (const word of ['deploy', 'var set', 'BALLAST_TOKEN']) expect(out).toContain(`  ${word} `);
  for (const word of ['./ballast', 'keys rotate', 'DATABASE_URL']) expect(out).not.toContain(word);
  expect((await ballast(['var', 'set', '--help'])).out).toContain('Usage: ballast var set ');
  expect((await ballast(['--version'])).out).toMatch(/^ballast \d+\.\d+\.\d+\n$/);
});

test.each([
  [['up'], 'run `./ballast up` in the checkout'],
  [['token', 'create', '--name', 'ci'], 'run `./ballast token create` in the checkout'],
  [['token', 'exchange'], '--organization needs the slug'],
  [['deploi'], 'There is no command "deploi"; did you mean deploy?'],
  [['var'], '`ballast var` needs one more word'],
  [['help', 'nothing'], 'see `ballast help`'],
])('%j ends with 2 and a sentence', async (words, sentence) => {
  const { code, out, err } = await ballast(words);
  expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^ballast: [^\n]+\n$/)]);
  expect(err).toContain(sentence);
});

test('it works with an address and a token, whatever else the environment of a job says', async () => {
  const { organizationId } = await seed(api.database);
  const admin = await seedToken(api.database, organizationId, 'admin');
  expect((await api.call('POST', '/api/v1/projects', { as: admin, body: { name: 'Shop' } })).status).toBe(201);
  const env = { BALLAST_URL: api.url, BALLAST_TOKEN: admin.token };
  // Each of them would end a part of an installation.
  const theirs = { PUBLIC_URL: '/static', PORT: 'http', LOG_LEVEL: 'verbose', TEMPORAL_ADRESS: 'x' };
  const { code, out, err } = await ballast(['project', 'list', '--json'], { ...theirs, ...env });
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out).projects).toMatchObject([{ slug: 'shop' }]);
  // PUBLIC_URL may be another program's, to which no token is sent.
  const elsewhere = { PUBLIC_URL: api.url, BALLAST_TOKEN: admin.token, BALLAST_URL: '' };
  const refused = await ballast(['project', 'list'], elsewhere);
  expect(refused).toMatchObject({ out: '', err: expect.not.stringContaining(api.url) });
  expect(refused.code).not.toBe(0);
});

test('a control plane gives it away with its own address, alone and as a package', async () => {
  const { script: given, archive } = await keptClient(join(directory, 'cache'), api.url);
  writeFileSync(script, given);
  const { organizationId } = await seed(api.database);
  const viewer = await seedToken(api.database, organizationId, 'viewer');
  expect(await ballast(['project', 'list'], { BALLAST_TOKEN: viewer.token })).toMatchObject({ code: 0, err: '' });
  expect(archive.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  writeFileSync(script, made.script);
});

test('a failure that the control plane tells names commands as they are typed here', () => {
  expect(asTyped('Deploy it: `./ballast deploy`, or `./ballast up` and `./ballast keys rotate`.')).toBe(
    'Deploy it: `ballast deploy`, or `./ballast up` and `./ballast keys rotate`.',
  );
});
