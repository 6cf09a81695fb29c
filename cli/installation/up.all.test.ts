import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive, type ProcessIdentity, processesWorkingIn, signal } from '../../machine/process-identity.ts';
import { readHome } from '../../runtime/home/home.ts';
import { freePorts } from '../../runtime/sockets/ports.ts';
import { type RunRecord, readRunRecord } from '../../runtime/supervisor/run-record.ts';
import { until } from '../../test/ground/until.ts';
import { patient } from '../../test/run/patience.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

let directory: string;
let home: string;
let env: NodeJS.ProcessEnv;
let up: { child: ChildProcess; output: () => string };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-up-'));
  home = join(directory, 'home');
  const { api, ingress } = await freePorts(['api', 'ingress'], {});
  // No port of an installation that somebody has on this machine.
  env = { ...process.env, BALLAST_HOME: home, PORT: String(api), INGRESS_PORT: String(ingress) };
  up = await start();
}, patient(600_000));

afterAll(async () => {
  if (up.child.exitCode === null) {
    up.child.kill('SIGTERM');
    await once(up.child, 'exit');
  }
  rmSync(join(realpathSync(join(home, 'postgres')), '..'), { recursive: true });
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<typeof up> {
  const child = spawn(process.execPath, [main, 'up'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await until('it is ready', async () => output.includes('is ready at') || child.exitCode !== null, 500);
  if (child.exitCode !== null) throw new Error(output);
  return { child, output: () => output };
}

async function ballast(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
}

/** Ends with another code than 0 when something is broken, and says what in any case. */
async function doctor(): Promise<string> {
  return await ballast('doctor', '--json').catch(({ stdout }: { stdout: string }) => stdout);
}

function record(): RunRecord {
  const found = readRunRecord(readHome(home));
  if (found === undefined) throw new Error('nothing is recorded');
  return found;
}

const names = ['postgres', 'temporal', 'worker', 'identity', 'api'];
const running = (): ProcessIdentity[] => names.flatMap((name) => record().parts[name] ?? []);
const readyz = async () => (await fetch(`http://127.0.0.1:${env.PORT}/readyz`).catch(() => undefined))?.status;

async function healthy(): Promise<void> {
  await until(
    'every part is ready',
    async () => running().length === names.length && running().every(isAlive) && (await readyz()) === 200,
  );
}

test('everything is ready when it says so, and doctor agrees', async () => {
  expect(await readyz()).toBe(200);
  // The cluster of this machine follows by itself, when people can use the rest.
  await until('doctor finds it healthy', async () => JSON.parse(await doctor()).healthy === true);
  const { findings } = JSON.parse(await doctor());
  expect(findings.filter(({ state }: { state: string }) => state !== 'ok')).toEqual([]);
});

test('a token made here is accepted there, and its secret stands in no log', async () => {
  const { token, secret, shownOnce } = JSON.parse(
    await ballast('token', 'create', '--name', 'laptop', '--role', 'admin', '--expires', '30d', '--json'),
  );
  expect({
    shownOnce,
    role: token.role,
    days: Math.round((Date.parse(token.expiresAt) - Date.now()) / 86_400_000),
  }).toEqual({
    shownOnce: true,
    role: 'admin',
    days: 30,
  });
  const answer = await fetch(`http://127.0.0.1:${env.PORT}/api/v1/teams`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(answer.status).toBe(200);
  // The secret may itself hold underscores, and begin with a dash.
  const unknown = secret.slice(secret.indexOf('_', 'svc_'.length) + 1);
  expect(unknown).toHaveLength(43);
  const found = promisify(execFile)('grep', ['-r', '-e', unknown, join(home, 'logs')]);
  await expect(found).rejects.toMatchObject({ code: 1 });
});

test('keys are rotated while everything runs', async () => {
  expect(JSON.parse(await ballast('keys', 'rotate', '--json')).rewrapped).toBeGreaterThan(0);
  expect(JSON.parse(await ballast('doctor', '--json')).healthy).toBe(true);
});

test.each(names)('%s is started again after kill -9', async (name) => {
  const before = record().parts[name];
  if (before === undefined) throw new Error(`${name} does not run`);
  signal(before, 'SIGKILL');
  await until(`another ${name}`, async () => ![undefined, before.pid].includes(record().parts[name]?.pid));
  await healthy();
});

test('after kill -9 of the supervisor alone a start ends its orphans and goes on', async () => {
  const orphans = running();
  const exited = once(up.child, 'exit');
  up.child.kill('SIGKILL');
  await exited;
  up = await start();
  expect(orphans.filter(isAlive)).toEqual([]);
  await healthy();
});

test('after kill -9 of all processes at once a start goes on', async () => {
  const all = running();
  const exited = once(up.child, 'exit');
  up.child.kill('SIGKILL');
  for (const one of all) signal(one, 'SIGKILL');
  await exited;
  up = await start();
  await healthy();
});

test('Ctrl-C, as npm and the terminal send it at once, ends all in order and leaves nothing', async () => {
  const all = [...running(), ...processesWorkingIn(realpathSync(join(home, 'postgres')))];
  up.child.kill('SIGINT');
  up.child.kill('SIGINT');
  const [code] = await once(up.child, 'exit');
  expect(code).toBe(0);
  expect(up.output()).not.toContain('at once');
  expect(all.filter(isAlive)).toEqual([]);
});
