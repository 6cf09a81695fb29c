import { once } from 'node:events';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signal } from '../machine/process-identity.ts';
import { OwnGround } from '../test/machines/own-ground.ts';
import { postgresUrl } from './postgres/postgres-address.ts';

const own = new OwnGround();
beforeAll(() => own.start());
afterAll(() => own.close());

test.each(['postgres', 'temporal'] as const)('%s is started again after kill -9', async (name) => {
  const before = own.part(name);
  signal(before, 'SIGKILL');
  await own.healed(name, before);
});

test('both are started again after both were killed at once', async () => {
  const before = { postgres: own.part('postgres'), temporal: own.part('temporal') };
  for (const one of Object.values(before)) signal(one, 'SIGKILL');
  await own.healed('postgres', before.postgres);
  await own.healed('temporal', before.temporal);
});

test('after kill -9 of everything at once the next start goes on, and what was committed is there', async () => {
  await own.stop();
  const child = await own.startElsewhere();
  const client = new Client({ connectionString: postgresUrl(own.home, 'ballast') });
  client.on('error', () => {});
  await client.connect();
  await client.query('create table kept (id int)');
  await client.query('insert into kept values (1)');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  for (const one of own.processes()) signal(one, 'SIGKILL');
  await exited;
  await client.end().catch(() => {});

  await own.start();
  const again = new Client({ connectionString: postgresUrl(own.home, 'ballast') });
  await again.connect();
  expect((await again.query('select id from kept')).rows).toEqual([{ id: 1 }]);
  await again.end();
});
