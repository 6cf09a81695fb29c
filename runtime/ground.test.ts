import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isAlive, signal } from '../machine/process-identity.ts';
import { connectTemporal } from '../temporal/connection/connect.ts';
import { admitsUs, answersPlainly, answersStranger, listening } from '../test/attacks/inner-ports.ts';
import { squat } from '../test/attacks/squatter.ts';
import { until } from '../test/ground/until.ts';
import { OwnGround } from '../test/machines/own-ground.ts';
import { certificateFiles, serverName } from './home/certificates.ts';
import { temporalPorts } from './home/home-record.ts';
import { readPasswords } from './home/passwords.ts';
import { answers } from './postgres/postgres.ts';
import { postgresSocketDirectory, postgresUrl, socketPort } from './postgres/postgres-address.ts';
import { bindingError } from './sockets/ports.ts';
import { temporalServes } from './temporal-server/grpc-health.ts';

// No socket fits into this home, and it has what lists of directories are split at.
const own = new OwnGround(`it's, "a home" of ${'x'.repeat(90)}`);

beforeAll(() => own.start());
afterEach(() => {
  own.lines.length = 0;
});
afterAll(() => own.close());

test('both parts run, each in a session of its own, and nobody else may look at their files', async () => {
  const { home, path } = own;
  expect(await own.postgresAnswers()).toBe(true);
  expect(await own.temporalAnswers()).toBe(true);
  expect(home.record).toMatchObject({ postgresMajor: 18, temporalVersion: '1.31.2', historyShards: 4 });
  for (const folder of ['keys', 'logs', 'temporal', 'run']) {
    expect(statSync(join(path, folder)).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(join(path, folder))) {
      if (folder !== 'run') expect(statSync(join(path, folder, file)).mode & 0o077, file).toBe(0);
    }
  }
});

test('PostgreSQL lets nobody in without a password, and each role only into its own databases', async () => {
  const { home } = own;
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
  await client.query('create table kept as select 1 as id');
  await client.end();
  expect(rows).toEqual([{ mighty: false, fsync: 'on', ports: '' }]);
});

test('no password stands in a log or among the arguments of a process', () => {
  const passwords: string[] = Object.values(readPasswords(own.home));
  const said = readdirSync(join(own.path, 'logs')).map((log) => readFileSync(own.home.file('logs', log), 'utf8'));
  for (const { pid } of [own.part('postgres'), own.part('temporal')])
    if (existsSync(`/proc/${pid}/cmdline`)) said.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  expect(said.length).toBeGreaterThan(1);
  expect(passwords.filter((password) => said.some((text) => text.includes(password)))).toEqual([]);
});

test.runIf(process.getuid?.() === 0)('other users of this machine cannot even see the socket', () => {
  const socket = join(postgresSocketDirectory(own.home), `.s.PGSQL.${socketPort}`);
  const seenBy = (uid: number) =>
    spawnSync('/bin/sh', ['-c', 'test -S "$1"', 'sh', socket], { uid, gid: uid, cwd: '/' }).status;
  expect(seenBy(0)).toBe(0);
  // As an instance of a tenant runs.
  expect(seenBy(62_562)).toBe(1);
});

test.runIf(process.platform === 'linux')(
  'PostgreSQL has no port, and each of Temporal is on this machine only and wants a certificate of ours',
  async () => {
    const { home } = own;
    expect(listening(own.part('postgres').pid)).toEqual([]);
    const found = listening(own.part('temporal').pid);
    expect(found.map(({ port }) => port)).toEqual(
      expect.arrayContaining(temporalPorts.map((name) => home.record.ports[name])),
    );
    for (const { address, port } of found) {
      expect(address).toBe('0100007F');
      expect(await answersPlainly(port), `port ${port} in the clear`).toBe('');
      expect(await answersStranger(port), `port ${port} without a certificate`).toBe('');
      expect(await admitsUs(home, port), `port ${port} with our certificate`).toBe(true);
    }
  },
);

test('a second start on the same home is told where the first one runs', async () => {
  await expect(own.begin()).rejects.toThrow(
    /^Ballast is already running at .+; stop it first, or set BALLAST_HOME and PORT/,
  );
  expect(await own.postgresAnswers()).toBe(true);
});

test('after a kill -9 of Temporal its port is taken at once: it moves, and the impostor learns nothing', async () => {
  const { temporal: port = 0 } = own.home.record.ports;
  signal(own.part('temporal'), 'SIGKILL');
  const impostor = await squat(port);
  try {
    await until('Temporal serves at another port', async () => {
      const { temporal: moved = 0 } = own.home.record.ports;
      return moved !== port && (await own.temporalAnswers());
    });
    expect(own.lines).toContain(
      `Temporal moves from port ${port}, which is taken, to ${own.home.record.ports.temporal}`,
    );
    // Clients that still have the old address, as the API has until it is restarted.
    const files = certificateFiles(own.home);
    const [ca, cert, key] = [files.ca, files.clientCert, files.clientKey].map((file) => readFileSync(file));
    if (!ca || !cert || !key) throw new Error('A certificate is missing.');
    const client = connectTemporal({
      address: `127.0.0.1:${port}`,
      namespace: 'default',
      tls: { ca, cert, key, serverName },
      keys: { current: () => Promise.reject(new Error('no keys')), byId: () => Promise.reject(new Error('no keys')) },
    });
    expect(await client.reachable()).toBe(false);
    await client.close();
    expect(await temporalServes(port, files)).toBe(false);
    expect(impostor.greeted).toBeGreaterThan(0);
    expect({ heard: impostor.heard, admitted: impostor.admitted }).toEqual({ heard: [], admitted: 0 });
  } finally {
    await impostor.close();
  }
});

test('a stop ends every process and gives the ports back', async () => {
  const all = own.processes();
  expect(all.length).toBeGreaterThan(process.platform === 'linux' ? 2 : -1);
  await own.stop();
  expect(all.filter(isAlive)).toEqual([]);
  expect(own.processes()).toEqual([]);
  expect(existsSync(own.home.file('run', 'processes.json'))).toBe(false);
  expect(await bindingError(own.home.record.ports.temporal ?? 0, '127.0.0.1')).toBeUndefined();
});

test('the parts end with the process that asked for them, even when that is killed', async () => {
  const child = await own.startElsewhere();
  const orphans = [own.part('postgres'), own.part('temporal')];
  expect(orphans.filter(isAlive)).toEqual(orphans);
  child.kill('SIGKILL');
  await until('they have ended', async () => !orphans.some(isAlive));
});

test.runIf(process.platform === 'linux')(
  'stale files that name the pid of somebody else do not keep PostgreSQL from starting with its data',
  async () => {
    const { home } = own;
    const data = realpathSync(home.postgres);
    // Of PostgreSQL's own user, because PostgreSQL itself does not mind the processes of others.
    const { uid, gid } = statSync(data);
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore', ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
    const stale = [String(stranger.pid), data, '1', String(socketPort), postgresSocketDirectory(home), ''];
    for (const file of [
      join(data, 'postmaster.pid'),
      join(postgresSocketDirectory(home), `.s.PGSQL.${socketPort}.lock`),
    ]) {
      writeFileSync(file, `${stale.join('\n')}\n`);
      chownSync(file, uid, gid);
    }
    await own.start();
    expect(await own.temporalAnswers()).toBe(true);
    const client = new Client({ connectionString: postgresUrl(home, 'ballast') });
    await client.connect();
    expect((await client.query('select id from kept')).rows).toEqual([{ id: 1 }]);
    await client.end();
    expect(own.lines.filter((line) => line.includes('again in'))).toEqual([]);
    expect(stranger.kill('SIGKILL')).toBe(true);
  },
);
