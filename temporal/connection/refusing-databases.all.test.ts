import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startGround } from '../../runtime/ground.ts';
import { databases } from '../../runtime/postgres/postgres-address.ts';
import { removeHome } from '../../test/ground/remove-home.ts';
import { until } from '../../test/ground/until.ts';
import { connectTemporal } from './connect.ts';
import { prepareNamespace } from './prepare-namespace.ts';

const home = join(mkdtempSync(join(tmpdir(), 'ballast-refusing-')), 'home');

const ground = await startGround({ home, log: () => undefined });
const { address, tls } = ground.temporal;
const payloadKey = randomBytes(32);
const [ca, cert, key] = [tls.caFile, tls.certFile, tls.keyFile].map((file) => readFileSync(file)) as [
  Buffer,
  Buffer,
  Buffer,
];
const temporal = connectTemporal({
  ...{ address, namespace: 'refusing', tls: { ca, cert, key, serverName: tls.serverName } },
  keys: { current: async () => ({ id: '1', key: payloadKey }), byId: async () => payloadKey },
});
const admin = new Client({ connectionString: ground.postgres.adminUrl });
await admin.connect();
await prepareNamespace(temporal);
await until('Temporal answers', () => temporal.reachable());
afterAll(async () => {
  await temporal.close();
  await admin.end();
  await ground.stop();
  removeHome(home);
});

test.each([databases.temporal, databases.temporalVisibility])(
  'a Temporal whose database %s refuses is not reachable, until it is let in again',
  async (database) => {
    await admin.query(`alter database ${database} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    await until('it is not reachable', async () => !(await temporal.reachable()));
    await admin.query(`alter database ${database} allow_connections true`);
    await until('it is reachable', () => temporal.reachable());
    expect(await temporal.reachable()).toBe(true);
  },
);
