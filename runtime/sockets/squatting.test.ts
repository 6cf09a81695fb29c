import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectPlainly } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../../domain/settings/settings.ts';
import { signal } from '../../machine/process-identity.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { type Squatter, squat } from '../../test/attacks/squatter.ts';
import { removeHome } from '../../test/ground/remove-home.ts';
import { until } from '../../test/ground/until.ts';
import { type Ground, startGround } from '../ground.ts';
import { certificateFiles, serverName } from '../home/certificates.ts';
import { type Home, readHome } from '../home/home.ts';
import { temporalPorts } from '../home/home-record.ts';
import { readPasswords } from '../home/passwords.ts';
import { postgresSocketDirectory, postgresUrl, socketPort } from '../postgres/postgres-address.ts';
import { readRunRecord } from '../supervisor/run-record.ts';
import { temporalServes } from '../temporal-server/grpc-health.ts';
import { freePorts } from './ports.ts';

const { TEMPORAL_SERVER: temporalServer } = readSettings(process.env);
/** Parts that have ports in a home of an older version. */
const formerly = ['postgres', 'temporalMetrics', 'identity'] as const;

let directory: string;
let path: string;
let home: Home;
let ground: Ground;
const lines: string[] = [];
const squatters: Squatter[] = [];

const start = () => startGround({ home: path, temporalServer, log: (line) => lines.push(line) });

async function squatOn(port: number): Promise<Squatter> {
  const squatter = await squat(port);
  squatters.push(squatter);
  return squatter;
}

async function query<T>(text: string): Promise<T[]> {
  const client = new Client({ connectionString: postgresUrl(home, 'ballast') });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A home as an older version left it, and on all of its ports programs of somebody else. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-squatting-'));
  // No socket fits into it, and it has what lists of directories are split at.
  path = join(directory, `it's, "a home" of ${'x'.repeat(90)}`);
  ground = await start();
  home = readHome(path);
  await query('create table kept as select 1 as id');
  await ground.stop();
  const { sockets: _, ...record } = home.record;
  const ports = { ...record.ports, ...(await freePorts(formerly, {}, Object.values(record.ports))) };
  writeFileSync(join(path, 'home.json'), JSON.stringify({ ...record, ports }));
  for (const name of [...temporalPorts, ...formerly]) await squatOn(ports[name] ?? 0);
  ground = await start();
  home = readHome(path);
}, 600_000);

afterAll(async () => {
  await Promise.all(squatters.map((one) => one.close()));
  await ground?.stop();
  const own = home.record.sockets?.own;
  removeHome(path);
  if (own) rmSync(own, { recursive: true, force: true });
  rmSync(directory, { recursive: true });
});

test('a home of an older version goes on, and who has its old ports is told nothing at all', async () => {
  expect(await query('select id from kept')).toEqual([{ id: 1 }]);
  expect(await temporalServes(home.record.ports.temporal ?? 0, certificateFiles(home))).toBe(true);
  const taken = squatters.map(({ port }) => port);
  for (const port of Object.values(home.record.ports)) expect(taken).not.toContain(port);
  expect(Object.keys(home.record.ports)).not.toContain('postgres');
  for (const { heard, greeted } of squatters) expect({ heard, greeted }).toEqual({ heard: [], greeted: 0 });
});

test('after a kill -9 of Temporal its port is taken at once: it moves, and the impostor learns nothing', async () => {
  const temporal = readRunRecord(home)?.parts.temporal;
  const { temporal: port = 0 } = home.record.ports;
  if (temporal === undefined) throw new Error('Temporal does not run.');
  lines.length = 0;
  signal(temporal, 'SIGKILL');
  const impostor = await squatOn(port);

  await until(
    'Temporal serves at another port',
    async () => {
      home = readHome(path);
      const { temporal: moved = 0 } = home.record.ports;
      return moved !== port && (await temporalServes(moved, certificateFiles(home)));
    },
    60,
  );
  expect(lines).toContain(`Temporal moves from port ${port}, which is taken, to ${home.record.ports.temporal}`);

  // Clients that still have the old address, as the API has until it is restarted.
  const { caFile, certFile, keyFile } = ground.temporal.tls;
  const [ca, cert, key] = [caFile, certFile, keyFile].map((file) => readFileSync(file));
  if (!ca || !cert || !key) throw new Error('A certificate is missing.');
  const client = connectTemporal({
    address: `127.0.0.1:${port}`,
    namespace: 'default',
    tls: { ca, cert, key, serverName },
    keys: { current: () => Promise.reject(new Error('no keys')), byId: () => Promise.reject(new Error('no keys')) },
  });
  expect(await client.reachable()).toBe(false);
  await client.close();
  expect(await temporalServes(port, certificateFiles(home))).toBe(false);
  expect(impostor.greeted).toBeGreaterThan(0);
  expect({ heard: impostor.heard, admitted: impostor.admitted }).toEqual({ heard: [], admitted: 0 });
});

test('PostgreSQL killed comes back at its socket, and nobody is asked for a password elsewhere', async () => {
  const postgres = readRunRecord(home)?.parts.postgres;
  if (postgres === undefined) throw new Error('PostgreSQL does not run.');
  const before = postgresUrl(home, 'ballast');
  signal(postgres, 'SIGKILL');
  await until('PostgreSQL answers again', async () => (await query('select 1').catch(() => [])).length > 0, 60);
  expect(postgresUrl(readHome(path), 'ballast')).toBe(before);
  for (const { heard } of squatters) expect(heard).toEqual([]);
});

test.runIf(process.getuid?.() === 0)('other users of this machine cannot even see the socket', () => {
  const socket = join(postgresSocketDirectory(home), `.s.PGSQL.${socketPort}`);
  const seenBy = (uid: number) =>
    spawnSync('/bin/sh', ['-c', 'test -S "$1"', 'sh', socket], { uid, gid: uid, cwd: '/' }).status;
  expect(seenBy(0)).toBe(0);
  // As an instance of a tenant runs.
  expect(seenBy(62_562)).toBe(1);
});

test('no password stands among the arguments of a process', () => {
  const passwords = Object.values(readPasswords(home));
  for (const { pid } of Object.values(readRunRecord(home)?.parts ?? {})) {
    const said = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
    expect(passwords.filter((password) => said.includes(password))).toEqual([]);
  }
});

test.runIf(process.platform === 'linux')(
  'PostgreSQL has no port, and each of Temporal is on this machine only and wants a certificate of ours',
  async () => {
    const parts = readRunRecord(home)?.parts;
    expect(listening(parts?.postgres?.pid ?? 0)).toEqual([]);
    const found = listening(parts?.temporal?.pid ?? 0);
    expect(found.map(({ port }) => port)).toEqual(
      expect.arrayContaining(temporalPorts.map((name) => home.record.ports[name])),
    );
    for (const { address, port } of found) {
      expect(address).toBe('0100007F');
      expect(await answersPlainly(port), `port ${port} in the clear`).toBe('');
      expect(await answersStranger(port), `port ${port} without a certificate`).toBe('');
      expect(await admitsUs(port), `port ${port} with our certificate`).toBe(true);
    }
  },
);

/** Addresses that a process listens on, by its open files. */
function listening(pid: number): { address: string; port: number }[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1] ?? []),
  );
  return ['tcp', 'tcp6']
    .flatMap((kind) => readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
    .map(([, local = '']) => ({
      address: local.split(':')[0] ?? '',
      port: Number.parseInt(local.split(':')[1] ?? '', 16),
    }));
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** The answer to an HTTP request without TLS. */
function answersPlainly(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connectPlainly(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'));
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    // Servers of TLS answer with an alert, or with Go's sentence, and hang up.
    socket.on('close', () =>
      resolve(said.startsWith('\x15') || /HTTP request to an HTTPS server/.test(said) ? '' : said),
    );
    socket.on('error', () => {});
  });
}

/** The answer to a TLS client without a certificate. */
function answersStranger(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    socket.on('secureConnect', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(said));
    socket.on('error', () => {});
  });
}

/** Whether it speaks TLS at all, as Temporal, to somebody with our certificate. */
function admitsUs(port: number): Promise<boolean> {
  const { ca, clientCert, clientKey } = certificateFiles(home);
  return new Promise((resolve) => {
    const [authority, cert, key] = [ca, clientCert, clientKey].map((file) => readFileSync(file));
    const socket = connect({ port, host: '127.0.0.1', ca: authority, cert, key, servername: serverName });
    socket.on('secureConnect', () => {
      resolve(socket.authorized);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}
