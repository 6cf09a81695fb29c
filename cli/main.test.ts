import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commands } from './commands.ts';
import { settingsAsMarkdown } from './engine/settings-table.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

interface Ended {
  code: number;
  out: string;
  err: string;
}

function ballast(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { env: { PATH: process.env.PATH, BALLAST_HOME: join(directory, 'home'), ...env } },
      (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-cli-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the table of settings in docs/operating.md is that of the program', () => {
  const page = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');
  const table = /<!-- settings -->\n\n(.*?)\n\n?<!-- end of settings -->/s.exec(page)?.[1];
  expect(`${table}\n`, 'run `./ballast help --markdown` and put its output into docs/operating.md').toBe(
    settingsAsMarkdown(),
  );
});

test.each([
  [['upp'], 'ballast: There is no command "upp"; did you mean up?\n'],
  [['tokn', 'create'], 'ballast: There is no command "tokn create"; did you mean token create?\n'],
  [['cluster', 'aply'], 'ballast: There is no command "cluster aply"; did you mean cluster apply?\n'],
  [['frobnicate'], 'ballast: There is no command "frobnicate"; see `./ballast help`.\n'],
  [['token'], 'ballast: `./ballast token` wants one more word: token create.\n'],
  [['user'], 'ballast: `./ballast user` wants one more word: user list, user reset, user disable, user enable.\n'],
  [['user', 'reset'], 'ballast: Say who it is by --email or by --id, such as --email ada@example.com.\n'],
  [['doctor', '--jsn'], 'ballast: There is no option --jsn; did you mean --json?\n'],
  [['doctor', 'now'], 'ballast: "now" is not understood; see --help.\n'],
  [['doctor', '--json=yes'], 'ballast: --json takes no value.\n'],
  [['token', 'create', '--name'], 'ballast: --name wants a value, such as --name NAME.\n'],
  [['token', 'create', '--name', 'ci', '--role', 'owner'], 'ballast: --role wants one of viewer, deployer, admin.\n'],
  [
    ['token', 'create', '--role', 'admin'],
    'ballast: --name wants a name of 1 to 100 characters, such as --name "build server".\n',
  ],
])('%j is refused with one sentence and exit code 2', async (args, sentence) => {
  expect(await ballast(args)).toEqual({ code: 2, out: '', err: sentence });
});

test('every command has --help and names all its options there', async () => {
  for (const [name, load] of Object.entries(commands)) {
    const { code, out } = await ballast([...name.split(' '), '--help']);
    expect(code, name).toBe(0);
    for (const option of Object.keys((await load()).options)) expect(out).toContain(`--${option}`);
  }
});

test('help lists commands and settings, as JSON too', async () => {
  const { out } = await ballast(['help']);
  for (const word of ['token create', 'keys rotate', 'exec', 'TEMPORAL_ADDRESS', 'default: 8088'])
    expect(out).toContain(word);
  const answer = JSON.parse((await ballast(['help', '--json'])).out);
  expect(answer.settings).toContainEqual(expect.objectContaining({ name: 'OIDC_CLIENT_SECRET', secret: true }));
  expect((await ballast([])).out).toBe(out);
});

test('a wrong setting ends a start with one sentence, exit code 1 and no stack trace', async () => {
  const { code, err } = await ballast(['up'], { REQUEST_TIMEOUT: 'soon' });
  expect(code).toBe(1);
  expect(err).toMatch(/^ballast: REQUEST_TIMEOUT is "soon": it must be a duration .+\n$/);
});

test('a busy port ends a start before anything was started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, err } = await ballast(['up'], { PORT: String(port) });
  server.close();
  expect({ code, err }).toEqual({
    code: 1,
    err: `ballast: Port ${port} of 127.0.0.1 is taken by another program; stop it or set PORT to a free port.\n`,
  });
  expect(existsSync(join(directory, 'home', 'postgres'))).toBe(false);
});

test.each([
  ['token', 'create', '--name', 'ci', '--role', 'admin'],
  ['migrate'],
  ['keys', 'rotate'],
  ['api'],
  ['worker'],
  ['identity'],
  ['sign-in-link'],
  ['user', 'list'],
])('%s %s without an installation is a sentence, and makes no home', async (...args) => {
  const { code, err } = await ballast(args.filter((word) => word !== undefined));
  expect(code).toBe(1);
  expect(err).toMatch(/^ballast: .+ is no home of Ballast yet; run `\.\/ballast up` first, or set BALLAST_HOME .+\n$/);
  expect(existsSync(join(directory, 'home'))).toBe(false);
});

test('doctor works when nothing runs, and finds nothing broken in that', async () => {
  const { code, out } = await ballast(['doctor', '--json'], { PORT: '0' });
  const { healthy, findings } = JSON.parse(out);
  expect({ code, healthy }).toEqual({ code: 0, healthy: true });
  expect(findings).toContainEqual({ name: 'PostgreSQL', state: 'idle', detail: 'not running' });
});

test('doctor names what is broken, how to mend it, and no password', async () => {
  const DATABASE_URL = 'postgresql://app:hunter2@127.0.0.1:1/ballast';
  const { code, out } = await ballast(['doctor', '--json'], { PORT: '0', DATABASE_URL });
  expect(code).toBe(1);
  const broken = JSON.parse(out).findings.find(({ name }: { name: string }) => name === 'PostgreSQL');
  expect(broken).toMatchObject({ state: 'broken', mend: expect.stringContaining('./ballast up') });
  expect(out).not.toContain('hunter2');
});
