import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { livingProcesses } from '../db/engine/processes.ts';
import { createKeysFile } from '../db/keys/keys.ts';
import { metricsToken } from '../db/keys/metrics-token.ts';
import { deletedOrganization, deletionRow } from '../test/actors/actors.ts';
import { bareEnvironment } from '../test/ground/bare-environment.ts';
import { type FreshDatabase, freshDatabase } from '../test/ground/fresh-database.ts';
import { groundTemporalSettings } from '../test/ground/ground-temporal.ts';
import { proxyTo, type TcpProxy } from '../test/ground/proxy.ts';
import { until } from '../test/ground/until.ts';
import { testInAll } from '../test/run/matrix.ts';

const program = fileURLToPath(new URL('./main.ts', import.meta.url));
let fresh: FreshDatabase;
let home: string;
let temporal: TcpProxy;
let postgres: TcpProxy;
let environment: Record<string, string>;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  fresh = await freshDatabase();
  home = await mkdtemp(join(tmpdir(), 'ballast-worker-'));
  await createKeysFile(join(home, 'keys.json'));
  const url = new URL(fresh.url);
  temporal = await proxyTo(inject('ground').temporal.address);
  postgres = await proxyTo(url.host);
  url.host = postgres.address;
  environment = {
    ...bareEnvironment,
    BALLAST_HOME: home,
    KEYS_FILE: join(home, 'keys.json'),
    METRICS_TOKEN_FILE: join(home, 'metrics-token'),
    DATABASE_URL: url.href,
    ...groundTemporalSettings(`worker-${uuid()}`, temporal.address),
  };
});

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

afterAll(async () => {
  await Promise.all([temporal.close(), postgres.close()]);
  await fresh.drop();
  await rm(home, { recursive: true });
});

interface Worker {
  child: ChildProcess;
  lines: string[];
  errors: string[];
  readyz(): Promise<{ status: number; parts: Record<string, string> }>;
  text(path: string, headers?: Record<string, string>): Promise<string>;
  ended(): Promise<number | null>;
}

function start(more: Record<string, string> = {}): Worker {
  const child = spawn(process.execPath, [program], {
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const errors: string[] = [];
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line));
  if (child.stderr) createInterface(child.stderr).on('line', (line) => errors.push(line));
  const exit = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code;
  });
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const begun = await until('its port', async () => lines.find((line) => line.includes('Worker begins')));
    return fetch(`http://127.0.0.1:${JSON.parse(begun).port}${path}`, { headers });
  };
  return {
    child,
    lines,
    errors,
    readyz: async () => {
      const answer = await get('/readyz');
      return { status: answer.status, parts: JSON.parse(await answer.text()).parts };
    },
    text: async (path, headers) => (await get(path, headers)).text(),
    ended: () => exit,
  };
}

function ready(worker: Worker): Promise<boolean> {
  return until('the worker is ready', async () => (await worker.readyz()).status === 200);
}

/** An organization without retention, whose deletion only a worker can bring to its end. */
async function purges(): Promise<void> {
  const { deletionId } = await deletedOrganization(fresh.database, 0);
  await until('it is purged', async () => (await deletionRow(fresh.database, deletionId)).state === 'purged');
}

test('a wrong setting ends it with one sentence', async () => {
  const worker = start({ TEMPORAL_ADDRESS: 'nowhere' });
  expect(await worker.ended()).toBe(1);
  expect(worker.errors).toHaveLength(1);
  expect(worker.errors[0]).toMatch(/^TEMPORAL_ADDRESS is "nowhere": it must be/);
});

test('a file of authorities that is missing ends it with one sentence', async () => {
  const worker = start({ OUTBOUND_CA_FILE: '/nowhere/ca.pem' });
  expect(await worker.ended()).toBe(1);
  expect(worker.errors).toEqual(['OUTBOUND_CA_FILE names /nowhere/ca.pem, which cannot be read (ENOENT); correct it.']);
});

test('it waits for Temporal and PostgreSQL, says so, and begins when they are there', async () => {
  await Promise.all([temporal.cut(), postgres.cut()]);
  const worker = start();
  await until('it says that it waits', async () =>
    worker.lines.some((line) => line.includes('Waiting for PostgreSQL')),
  );
  expect(await worker.readyz()).toMatchObject({ status: 503, parts: { database: 'waiting' } });
  expect(await worker.text('/healthz')).toBe('alive\n');
  await postgres.restore();
  await until('it says that it waits', async () => worker.lines.some((line) => line.includes('Waiting for Temporal')));
  expect(await worker.readyz()).toMatchObject({ status: 503, parts: { database: 'ready', temporal: 'waiting' } });
  await temporal.restore();
  await ready(worker);
  await purges();
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
});

test('asked to end while it waits, it ends at once', async () => {
  await postgres.cut();
  const worker = start();
  await until('it says that it waits', async () =>
    worker.lines.some((line) => line.includes('Waiting for PostgreSQL')),
  );
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
  await postgres.restore();
});

testInAll('it goes on by itself when Temporal and PostgreSQL went away and came back', async () => {
  const worker = start();
  await ready(worker);
  const beating = await until('its beat', async () =>
    (await livingProcesses(fresh.database.kysely)).find(({ state }) => state.ready === true),
  );
  expect(beating).toMatchObject({ kind: 'worker', state: { actors: 'ready' } });
  await temporal.cut();
  const { deletionId } = await deletedOrganization(fresh.database, 0);
  await until('the relay notices', async () => worker.lines.some((line) => line.includes('Temporal is away')));
  await temporal.restore();
  await until('it is purged', async () => (await deletionRow(fresh.database, deletionId)).state === 'purged');

  await postgres.cut();
  await until('the relay notices', async () =>
    worker.lines.some((line) => line.includes('Relay of the outbox: failed')),
  );
  const waiting = await deletedOrganization(fresh.database, 0);
  await postgres.restore();
  await until(
    'it is purged',
    async () => (await deletionRow(fresh.database, waiting.deletionId)).state === 'purged',
    40,
  );

  expect(await worker.text('/metrics')).toMatch(/METRICS_TOKEN_FILE/);
  const token = await metricsToken(join(home, 'metrics-token'));
  const metrics = await worker.text('/metrics', { authorization: `Bearer ${token}` });
  expect(metrics).toContain('ballast_worker_serving 1');
  expect(metrics).toContain('temporal_workflow_completed');
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
  const said = [...worker.lines, ...worker.errors].join('\n');
  expect(said).not.toContain(new URL(fresh.url).password);
  expect(await livingProcesses(fresh.database.kysely)).toEqual([]);
});

testInAll('what a killed worker has begun another one ends, once', async () => {
  const first = start();
  await ready(first);
  const deletions = await Promise.all(Array.from({ length: 20 }, () => deletedOrganization(fresh.database, 0)));
  await until('one has been claimed', async () => {
    const states = await Promise.all(deletions.map(({ deletionId }) => deletionRow(fresh.database, deletionId)));
    return states.some(({ state }) => state !== 'retained');
  });
  first.child.kill('SIGKILL');
  await first.ended();
  const second = start();
  for (const { deletionId, organizationId } of deletions) {
    await until('it is purged', async () => (await deletionRow(fresh.database, deletionId)).state === 'purged');
    const purged = fresh.database.kysely.selectFrom('audit_record').where('organization_id', '=', organizationId);
    expect(await purged.select('id').where('action', '=', 'organization.purged').execute()).toHaveLength(1);
  }
  second.child.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

test('a database of a newer version is refused with one sentence', async () => {
  await sql`insert into migration (name) values ('of a newer version')`.execute(fresh.database.kysely);
  const worker = start();
  expect(await worker.ended()).toBe(1);
  expect(worker.errors).toEqual(['The database was migrated by a newer version of Ballast; start that version.']);
});
