import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readSettings } from '../domain/settings/settings.ts';
import { isAlive, type ProcessIdentity, processesWorkingIn, signal } from '../machine/process-identity.ts';
import { removeHome } from '../test/ground/remove-home.ts';
import { type Ground, startGround } from './ground.ts';
import { certificateFiles } from './home/certificates.ts';
import { type Home, readHome } from './home/home.ts';
import { answers } from './postgres/postgres.ts';
import { postgresSocketDirectory, postgresUrl, socketPort } from './postgres/postgres-address.ts';
import { bindingError } from './sockets/ports.ts';
import { readRunRecord } from './supervisor/run-record.ts';
import { temporalServes } from './temporal-server/grpc-health.ts';

const temporalServer = readSettings(process.env).TEMPORAL_SERVER;
const patience = { timeout: 60_000, interval: 50 };

let path: string;
let home: Home;
let ground: Ground | undefined;
const lines: string[] = [];
const start = () => startGround({ home: path, temporalServer, log: (line) => lines.push(line) });

beforeAll(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'ballast-ground-')), 'home');
  ground = await start();
  home = readHome(path);
}, 600_000);

afterEach(() => {
  lines.length = 0;
});

afterAll(async () => {
  await ground?.stop();
  removeHome(path);
  rmSync(join(path, '..'), { recursive: true });
});

function part(name: 'postgres' | 'temporal'): ProcessIdentity {
  const found = readRunRecord(home)?.parts[name];
  if (found === undefined) throw new Error(`${name} is not in the record`);
  return found;
}

const postgresAnswers = () => answers(postgresUrl(home, 'ballast'));
const temporalAnswers = () => temporalServes(home.record.ports.temporal ?? 0, certificateFiles(home));

async function healed(name: 'postgres' | 'temporal', before: ProcessIdentity): Promise<void> {
  await vi.waitUntil(() => readRunRecord(home)?.parts[name] !== undefined && part(name).pid !== before.pid, patience);
  await vi.waitUntil(async () => (await postgresAnswers()) && (await temporalAnswers()), patience);
}

/** Everything that belongs to this home, by the directories the processes work in. */
function processes(): ProcessIdentity[] {
  return [realpathSync(home.postgres), join(path, 'temporal')].flatMap(processesWorkingIn);
}

test('both parts run, each in a session of its own, and nobody else may look at their files', async () => {
  expect(await postgresAnswers()).toBe(true);
  expect(await temporalAnswers()).toBe(true);
  expect(home.record).toMatchObject({ postgresMajor: 18, temporalVersion: '1.31.2', historyShards: 4 });
  for (const folder of ['keys', 'logs', 'temporal', 'run']) {
    expect(statSync(join(path, folder)).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(join(path, folder))) {
      if (folder !== 'run') expect(statSync(join(path, folder, file)).mode & 0o077, file).toBe(0);
    }
  }
});

test('PostgreSQL lets nobody in without a password, and each role only into its own databases', async () => {
  const address = (credential: string): string => {
    const url = new URL(postgresUrl(home, 'ballast'));
    return `postgresql://${credential}@${url.host}/ballast`;
  };
  expect(await answers(address('postgres'))).toBe(false);
  expect(await answers(address('ballast:wrong'))).toBe(false);
  expect(await answers(postgresUrl(home, 'ballast', 'temporal'))).toBe(false);
  expect(await answers(postgresUrl(home, 'temporal', 'ballast'))).toBe(false);
  const client = new Client({ connectionString: postgresUrl(home, 'ballast') });
  await client.connect();
  const { rows } = await client.query(
    "select rolsuper or rolcreatedb or rolcreaterole as mighty, current_setting('fsync') as fsync, current_setting('listen_addresses') as ports from pg_roles where rolname = current_user",
  );
  await client.end();
  expect(rows).toEqual([{ mighty: false, fsync: 'on', ports: '' }]);
});

test('Temporal serves nobody without a certificate of ours', async () => {
  const files = certificateFiles(home);
  const port = home.record.ports.temporal ?? 0;
  const stranger = await fetchWithout(port);
  expect(stranger).toBe('refused');
  expect(await temporalServes(port, files)).toBe(true);
});

async function fetchWithout(port: number): Promise<'refused' | 'answered'> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    socket.on('error', () => resolve('refused'));
    socket.on('data', () => resolve('answered'));
    socket.on('close', () => resolve('refused'));
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  });
}

test('no password stands in a log', () => {
  const passwords: string[] = Object.values(
    JSON.parse(readFileSync(home.file('keys', 'postgres-passwords.json'), 'utf8')),
  );
  for (const log of readdirSync(join(path, 'logs'))) {
    const text = readFileSync(home.file('logs', log), 'utf8');
    for (const password of passwords) expect(text.includes(password), log).toBe(false);
  }
});

test('a second start on the same home is told where the first one runs', async () => {
  await expect(start()).rejects.toThrow(
    /^Ballast is already running at .+; stop it first, or set BALLAST_HOME and PORT/,
  );
  expect(await postgresAnswers()).toBe(true);
});

test.each(['postgres', 'temporal'] as const)('%s is started again after kill -9', async (name) => {
  const before = part(name);
  signal(before, 'SIGKILL');
  await healed(name, before);
});

test('both are started again after both were killed at once', async () => {
  const before = { postgres: part('postgres'), temporal: part('temporal') };
  for (const one of Object.values(before)) signal(one, 'SIGKILL');
  await healed('postgres', before.postgres);
  await healed('temporal', before.temporal);
});

test('a stop ends every process within ten seconds and gives the ports back', async () => {
  const all = processes();
  expect(all.length).toBeGreaterThan(process.platform === 'linux' ? 2 : -1);
  const began = Date.now();
  await ground?.stop();
  ground = undefined;
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(all.filter(isAlive)).toEqual([]);
  expect(processes()).toEqual([]);
  expect(existsSync(home.file('run', 'processes.json'))).toBe(false);
  expect(await bindingError(home.record.ports.temporal ?? 0, '127.0.0.1')).toBeUndefined();
});

/** A start in a process of its own, so that it can be killed. */
async function startElsewhere() {
  const program = `
    const { startGround } = await import(${JSON.stringify(new URL('ground.ts', import.meta.url).href)});
    await startGround({ home: ${JSON.stringify(path)}, temporalServer: ${JSON.stringify(temporalServer)}, log: () => {} });
    process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('ready');
  return child;
}

test('the parts end with the process that asked for them, even when that is killed', async () => {
  const child = await startElsewhere();
  const orphans = [part('postgres'), part('temporal')];
  child.kill('SIGKILL');
  await vi.waitUntil(() => orphans.filter(isAlive).length === 0, patience);

  ground = await start();
  expect(await postgresAnswers()).toBe(true);
  expect(await temporalAnswers()).toBe(true);
});

test('after kill -9 of everything at once the next start goes on, and what was committed is there', async () => {
  await ground?.stop();
  ground = undefined;
  const child = await startElsewhere();
  const client = new Client({ connectionString: postgresUrl(home, 'ballast') });
  client.on('error', () => {});
  await client.connect();
  await client.query('create table kept (id int)');
  await client.query('insert into kept values (1)');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  for (const one of processes()) signal(one, 'SIGKILL');
  await exited;
  await client.end().catch(() => {});

  ground = await start();
  const again = new Client({ connectionString: postgresUrl(home, 'ballast') });
  await again.connect();
  expect((await again.query('select id from kept')).rows).toEqual([{ id: 1 }]);
  await again.end();
});

test.runIf(process.platform === 'linux')(
  'stale files that name the pid of somebody else do not keep PostgreSQL from starting',
  async () => {
    await ground?.stop();
    ground = undefined;
    // Of PostgreSQL's own user, because PostgreSQL itself does not mind the processes of others.
    const { uid, gid } = statSync(realpathSync(home.postgres));
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore', ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
    const stale = [
      String(stranger.pid),
      realpathSync(home.postgres),
      '1',
      String(socketPort),
      postgresSocketDirectory(home),
      '',
    ];
    for (const file of [
      join(realpathSync(home.postgres), 'postmaster.pid'),
      join(postgresSocketDirectory(home), `.s.PGSQL.${socketPort}.lock`),
    ]) {
      writeFileSync(file, `${stale.join('\n')}\n`);
      chownSync(file, uid, gid);
    }
    ground = await start();
    expect(await postgresAnswers()).toBe(true);
    expect(lines.filter((line) => line.includes('again in'))).toEqual([]);
    expect(stranger.kill('SIGKILL')).toBe(true);
  },
);
