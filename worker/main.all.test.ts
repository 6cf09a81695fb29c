import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { livingProcesses } from '../db/engine/processes/processes.ts';
import { metricsToken } from '../db/keys/metrics-token.ts';
import { deletionRow } from '../test/actors/actors.ts';
import { WorkerProcesses } from '../test/actors/worker-process.ts';
import { until } from '../test/ground/until.ts';

const workers = await WorkerProcesses.open();
afterEach(() => workers.kill());
afterAll(() => workers.close());

test('a file of authorities that is missing ends it with one sentence', async () => {
  const worker = workers.start({ OUTBOUND_CA_FILE: '/nowhere/ca.pem' });
  expect(await worker.ended()).toBe(1);
  expect(worker.errors).toEqual(['OUTBOUND_CA_FILE names /nowhere/ca.pem, which cannot be read (ENOENT); correct it.']);
});

test('it goes on by itself when Temporal and PostgreSQL went away and came back', async () => {
  const { fresh, home, temporal, postgres } = workers;
  const worker = workers.start();
  await worker.ready();
  const beating = await until('its beat', async () =>
    (await livingProcesses(fresh.database.kysely)).find(({ state }) => state.ready === true),
  );
  expect(beating).toMatchObject({ kind: 'worker', state: { actors: 'ready' } });
  await temporal.cut();
  const told = await workers.deleted();
  await worker.says('Temporal is away');
  await temporal.restore();
  await workers.purged(told);

  await postgres.cut();
  await worker.says('Relay of the outbox: failed');
  const waiting = await workers.deleted();
  await postgres.restore();
  await workers.purged(waiting);

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

test('what a killed worker has begun another one ends, once', async () => {
  const { kysely } = workers.fresh.database;
  const first = workers.start();
  await first.ready();
  const deletions = await Promise.all(Array.from({ length: 20 }, () => workers.deleted()));
  await until('one has been claimed', async () => {
    const states = await Promise.all(
      deletions.map(({ deletionId }) => deletionRow(workers.fresh.database, deletionId)),
    );
    return states.some(({ state }) => state !== 'retained');
  });
  first.child.kill('SIGKILL');
  await first.ended();
  const second = workers.start();
  for (const deletion of deletions) {
    await workers.purged(deletion);
    const purged = kysely.selectFrom('audit_record').where('organization_id', '=', deletion.organizationId);
    expect(await purged.select('id').where('action', '=', 'organization.purged').execute()).toHaveLength(1);
  }
  second.child.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});
