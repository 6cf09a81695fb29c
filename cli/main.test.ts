import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { CommandHost, type Ended } from '../test/commands/command-host.ts';
import { bareEnvironment } from '../test/ground/bare-environment.ts';
import { commands } from './commands.ts';
import { waitOptions } from './deployment/waiting.ts';
import { eventsOption } from './engine/progress.ts';
import { makeHelp } from './help/make-help.ts';

const { helpFor } = await import(join(import.meta.dirname, 'help', 'help.mjs'));
const main = fileURLToPath(new URL('main.ts', import.meta.url));
const checkout = fileURLToPath(new URL('..', import.meta.url));

const host = new CommandHost();
afterAll(() => host.close());

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-cli-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const placed = (env: Record<string, string>) => ({
  ...bareEnvironment,
  BALLAST_HOME: join(directory, 'home'),
  ...env,
});

function ballast(words: string[], env: Record<string, string> = {}): Promise<Ended> {
  return host.run({ words, env: placed(env), cwd: directory, input: '' });
}

/** A process of its own. */
function program(file: string, words: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(file, words, { env: placed(env) }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** A checkout in which nothing was installed yet, with all that may run there. */
function bareCheckout(): string {
  const bare = join(directory, 'checkout');
  const programs = readdirSync(join(checkout, 'cli'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(mjs|json)$/.test(name))
    .map((name) => join('cli', name));
  for (const name of [...programs, 'ballast', 'package.json', 'package-lock.json'])
    cpSync(join(checkout, name), join(bare, name), { recursive: true });
  return bare;
}

/** A PATH with Node and without npm: nothing can be installed. */
function withoutNpm(): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  const programs = { node: process.execPath, dirname: '/usr/bin/dirname', readlink: '/usr/bin/readlink' };
  for (const [name, program] of Object.entries(programs)) {
    if (!existsSync(join(bin, name))) symlinkSync(program, join(bin, name));
  }
  return bin;
}

const entry = (args: string[], PATH = withoutNpm()) =>
  program('/bin/sh', [join(bareCheckout(), 'ballast'), ...args], { PATH });

test('cli/help/help.json says what the commands and settings say', async () => {
  const told = readFileSync(new URL('help/help.json', import.meta.url), 'utf8');
  expect(told, 'run `./ballast exec cli/help/make-help.ts`').toBe(await makeHelp());
});

test('the table of settings in docs/operating.md is that of the program', async () => {
  const page = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');
  const table = /<!-- settings -->\n\n(.*?)\n\n?<!-- end of settings -->/s.exec(page)?.[1];
  const out = helpFor(['help', '--markdown']);
  expect(`${table}\n`, 'run `./ballast help --markdown` and put its output into docs/operating.md').toBe(out);
});

test('commands that write lines of JSON are those of the table in docs/cli.md, and all that wait for deployments are', async () => {
  const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n## Lines of JSON\n(.*?)\n## /s.exec(page) ?? [];
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`(.*?)(?: --\w+)?`/g)].map(([, name]) => name));
  const loaded = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => ({ name, options: (await load()).options })),
  );
  const written = loaded.filter(({ options }) => options.json === eventsOption.json).map(({ name }) => name);
  expect(named.toSorted()).toEqual(written.toSorted());
  const waiting = loaded.filter(({ options }) => options.timeout === waitOptions.timeout).map(({ name }) => name);
  expect(written).toEqual(expect.arrayContaining(waiting));
});

test.each([
  [['upp'], 'ballast: There is no command "upp"; did you mean up?\n'],
  [['tokn', 'create'], 'ballast: There is no command "tokn create"; did you mean token create?\n'],
  [['cluster', 'aply'], 'ballast: There is no command "cluster aply"; did you mean cluster apply?\n'],
  [['frobnicate'], 'ballast: There is no command "frobnicate"; see `./ballast help`.\n'],
  [['token'], 'ballast: `./ballast token` needs one more word: token create, token exchange.\n'],
  [
    ['user'],
    'ballast: `./ballast user` needs one more word: user list, user reset, user disable, user enable, user verify.\n',
  ],
  [['user', 'reset'], 'ballast: Say who it is by --email or by --id, such as --email ada@example.com.\n'],
  [['doctor', '--jsn'], 'ballast: There is no option --jsn; did you mean --json?\n'],
  [['doctor', 'now'], 'ballast: "now" is not understood; see --help.\n'],
  [['volume', 'grow', 'data', '2G', 'now'], 'ballast: "now" is not understood: it takes NAME SIZE; see --help.\n'],
  [['doctor', '--json=yes'], 'ballast: --json takes no value; write it alone.\n'],
  [
    ['cluster', 'logs', 'hello', '--tail', 'ten'],
    'ballast: --tail is "ten": it must be a whole number from 0 to 10000.\n',
  ],
  [['token', 'create', '--name'], 'ballast: --name needs a value, such as --name NAME.\n'],
  [['token', 'create', '--name', 'ci', '--role', 'owner'], 'ballast: --role must be one of viewer, deployer, admin.\n'],
  [
    ['token', 'create', '--role', 'admin'],
    'ballast: --name needs a name of 1 to 100 characters, such as --name "build server".\n',
  ],
])('%j is refused with one sentence and exit code 2', async (args, sentence) => {
  expect(await ballast(args)).toEqual({ code: 2, out: '', err: sentence });
});

test('help needs no packages and installs none', async () => {
  const { out, code } = await entry(['help']);
  expect([code, out]).toEqual([0, helpFor(['help'])]);
  for (const word of ['token create', 'keys rotate', 'exec', 'TEMPORAL_ADDRESS', 'default: 8088'])
    expect(out).toContain(word);
  expect(await entry(['upp'])).toEqual({
    code: 2,
    out: '',
    err: 'ballast: There is no command "upp"; see `./ballast help`.\n',
  });
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  expect((await entry(['--version'])).out).toBe(`ballast ${version}\n`);
  expect(existsSync(join(directory, 'checkout', 'node_modules'))).toBe(false);
});

test('help tells all commands, one of them and a group of them', async () => {
  expect([helpFor([]), helpFor(['-h'])]).toEqual([helpFor(['help']), helpFor(['help'])]);
  const { commands: told, settings } = JSON.parse(helpFor(['help', '--json']));
  expect(told.map(({ name }: { name: string }) => name)).toEqual([...Object.keys(commands), 'exec', 'help']);
  expect(settings).toContainEqual(expect.objectContaining({ name: 'OIDC_CLIENT_SECRET', secret: true }));

  const apply = helpFor(['help', 'cluster', 'apply']);
  expect(apply).toContain('Usage: ./ballast cluster apply ');
  for (const option of Object.keys((await commands['cluster apply']?.())?.options ?? {}))
    expect(apply).toContain(`--${option}`);
  expect(helpFor(['cluster', 'apply', 'shop.yaml', '--help'])).toBe(apply);
  expect(helpFor(['cluster', '--help'])).toContain('  cluster apply  ');
  expect(() => helpFor(['help', 'frobnicate'])).toThrow('frobnicate');
  expect([helpFor(['cluster', 'apply', '--', '--help']), helpFor(['exec', 'vitest', '--help'])]).toEqual([
    undefined,
    undefined,
  ]);
});

test('without Node one sentence says what to install', async () => {
  const err = 'ballast: There is no Node in the PATH; install Node 24 from https://nodejs.org.\n';
  expect(await entry(['up'], '')).toEqual({ code: 1, out: '', err });
});

test('the program takes the place of the entry script, with its words as they were typed', async () => {
  const words = ["it's", '$HOME `id` "x"', 'two\nlines\n', ''];
  const program = join(directory, 'words.ts');
  writeFileSync(program, 'process.stdout.write(JSON.stringify([process.pid, process.argv.slice(2)]))');
  const child = spawn(join(checkout, 'ballast'), ['exec', program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(JSON.parse(await text(child.stdout))).toEqual([child.pid, words]);
});

test('a wrong setting ends a start with one sentence, exit code 1 and no stack trace', async () => {
  const { code, err } = await ballast(['up'], { REQUEST_TIMEOUT: 'soon' });
  expect(code).toBe(1);
  expect(err).toMatch(/^ballast: REQUEST_TIMEOUT is "soon": it must be a duration .+\n$/);
});

test('a file of authorities that is missing ends a start before anything was started', async () => {
  const { code, err } = await ballast(['up'], { OUTBOUND_CA_FILE: '/nowhere/ca.pem' });
  expect(code).toBe(1);
  expect(err).toBe('ballast: OUTBOUND_CA_FILE names /nowhere/ca.pem, which cannot be read (ENOENT); correct it.\n');
});

test('a busy port ends a start before anything was started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, err } = await program(process.execPath, [main, 'up'], { PORT: String(port) });
  server.close();
  expect(code).toBe(1);
  // Who it is can be seen on Linux only.
  const holder = `(, \\S+ \\(process ${process.pid}\\))?`;
  expect(err).toMatch(
    new RegExp(
      `^ballast: Port ${port} of 127\\.0\\.0\\.1 is taken by another program${holder}; stop it or set PORT to a free port\\.\n$`,
    ),
  );
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
  expect(err).toMatch(
    /^ballast: .+ is not a home of Ballast yet; run `\.\/ballast up` first, or set BALLAST_HOME .+\n$/,
  );
  expect(existsSync(join(directory, 'home'))).toBe(false);
});

test('doctor works when nothing runs, and finds nothing broken in that', async () => {
  const { code, out } = await ballast(['doctor', '--json'], { PORT: '0' });
  const { healthy, findings } = JSON.parse(out);
  expect({ code, healthy }).toEqual({ code: 0, healthy: true });
  expect(findings).toContainEqual({ name: 'PostgreSQL', state: 'idle', detail: 'not running' });
});

test('doctor names what is broken, how to mend it, and no password and no secret', async () => {
  const { code, out } = await ballast(['doctor', '--json'], {
    PORT: '0',
    DATABASE_URL: 'postgresql://app:hunter2@127.0.0.1:1/ballast',
    REGISTRY_S3_BUCKET: 'images',
    REGISTRY_S3_ENDPOINT: 'http://127.0.0.1:1',
    REGISTRY_S3_ACCESS_KEY_ID: 'the-key',
    REGISTRY_S3_SECRET_ACCESS_KEY: 'hunter3',
  });
  expect(code).toBe(1);
  const { findings } = JSON.parse(out);
  expect(findings).toContainEqual({
    name: 'PostgreSQL',
    state: 'broken',
    detail: expect.any(String),
    mend: expect.stringContaining('./ballast up'),
  });
  expect(findings).toContainEqual({
    name: 'Registry',
    state: 'broken',
    detail: 'The bucket images at 127.0.0.1:1 cannot be reached: ECONNREFUSED. Images are neither pushed nor pulled.',
    mend: 'Correct the REGISTRY_S3_ settings, or look into that server.',
  });
  expect(out).not.toMatch(/hunter[23]/);
});
