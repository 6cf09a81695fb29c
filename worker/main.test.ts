import { sql } from 'kysely';
import { afterAll, afterEach, expect, test } from 'vitest';
import { WorkerProcesses } from '../test/actors/worker-process.ts';

const workers = await WorkerProcesses.open();
afterEach(() => workers.kill());
afterAll(() => workers.close());

test('a wrong setting ends it with one sentence', async () => {
  const worker = workers.start({ TEMPORAL_ADDRESS: 'nowhere' });
  expect(await worker.ended()).toBe(1);
  expect(worker.errors).toHaveLength(1);
  expect(worker.errors[0]).toMatch(/^TEMPORAL_ADDRESS is "nowhere": it must be/);
});

test('it waits for Temporal and PostgreSQL, says so, and begins when they are there', async () => {
  const { temporal, postgres } = workers;
  await Promise.all([temporal.cut(), postgres.cut()]);
  const worker = workers.start();
  await worker.says('Waiting for PostgreSQL');
  expect(await worker.readyz()).toMatchObject({ status: 503, parts: { database: 'waiting' } });
  expect(await worker.text('/healthz')).toBe('alive\n');
  await postgres.restore();
  await worker.says('Waiting for Temporal');
  expect(await worker.readyz()).toMatchObject({ status: 503, parts: { database: 'ready', temporal: 'waiting' } });
  await temporal.restore();
  await worker.ready();
  await workers.purged(await workers.deleted());
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
});

test('asked to end while it waits, it ends at once', async () => {
  await workers.postgres.cut();
  const worker = workers.start();
  await worker.says('Waiting for PostgreSQL');
  worker.child.kill('SIGTERM');
  expect(await worker.ended()).toBe(0);
  await workers.postgres.restore();
});

test('a database of a newer version is refused with one sentence', async () => {
  await sql`insert into migration (name) values ('of a newer version')`.execute(workers.fresh.database.kysely);
  const worker = workers.start();
  expect(await worker.ended()).toBe(1);
  expect(worker.errors).toEqual(['The database was migrated by a newer version of Ballast; start that version.']);
});
