import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signal } from '../../machine/process-identity.ts';
import { type Squatter, squat } from '../../test/attacks/squatter.ts';
import { until } from '../../test/ground/until.ts';
import { OwnGround } from '../../test/machines/own-ground.ts';
import { type HomeRecord, temporalPorts } from '../home/home-record.ts';
import { postgresUrl } from '../postgres/postgres-address.ts';
import { freePorts } from './ports.ts';

/** Parts that have ports in a home of an older version. */
const formerly = ['postgres', 'temporalMetrics', 'identity'] as const;
// No socket fits into it, and it has what lists of directories are split at.
const own = new OwnGround(`it's, "a home" of ${'x'.repeat(90)}`);
const squatters: Squatter[] = [];

async function query<T>(text: string): Promise<T[]> {
  const client = new Client({ connectionString: postgresUrl(own.home, 'ballast') });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A home as an older version left it, and on all of its ports programs of somebody else. */
beforeAll(async () => {
  await own.start();
  await query('create table kept as select 1 as id');
  await own.stop();
  const { sockets: _, ...record }: HomeRecord = own.home.record;
  const ports = { ...record.ports, ...(await freePorts(formerly, {}, Object.values(record.ports))) };
  writeFileSync(join(own.path, 'home.json'), JSON.stringify({ ...record, ports }));
  for (const name of [...temporalPorts, ...formerly]) squatters.push(await squat(ports[name] ?? 0));
  await own.start();
});
afterAll(async () => {
  await Promise.all(squatters.map((one) => one.close()));
  await own.close();
});

test('a home of an older version goes on, and who has its old ports is told nothing at all', async () => {
  expect(await query('select id from kept')).toEqual([{ id: 1 }]);
  expect(await own.temporalAnswers()).toBe(true);
  const { ports } = own.home.record;
  const taken = squatters.map(({ port }) => port);
  for (const port of Object.values(ports)) expect(taken).not.toContain(port);
  expect(Object.keys(ports)).not.toContain('postgres');
  for (const { heard, greeted } of squatters) expect({ heard, greeted }).toEqual({ heard: [], greeted: 0 });
});

test('PostgreSQL killed comes back at its socket, and nobody is asked for a password elsewhere', async () => {
  const before = postgresUrl(own.home, 'ballast');
  signal(own.part('postgres'), 'SIGKILL');
  await until('PostgreSQL answers again', async () => (await query('select 1').catch(() => [])).length > 0);
  expect(postgresUrl(own.home, 'ballast')).toBe(before);
  for (const { heard } of squatters) expect(heard).toEqual([]);
});
