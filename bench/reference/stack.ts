import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startGround } from '../../runtime/ground.ts';
import { freePorts } from '../../runtime/sockets/ports.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { answers, startNode } from '../engine/node-process.ts';
import { addressOf, temporalEnv } from '../ground/ground.ts';
import { writeBareBundle } from './bare-bundle.ts';

/** PostgreSQL and Temporal as `./ballast up` starts them, then a bare server and a bare worker on them, until a signal. */
await using opened = new AsyncDisposableStack();
const stopping = new Promise<void>((resolve) => process.once('SIGINT', () => resolve()));
const home = process.env.BALLAST_HOME ?? '';
const server = process.env.TEMPORAL_SERVER;
const ground = await startGround({ home, temporalServer: server, log: () => undefined });
opened.defer(() => ground.stop());

const bundle = join(home, 'logs', 'bare-bundle.js');
const made = existsSync(bundle) ? Promise.resolve() : writeBareBundle(bundle);
const noKeys = {
  current: () => Promise.reject(new Error('no keys')),
  byId: () => Promise.reject(new Error('no keys')),
};
const temporal = connectTemporal({ ...addressOf(ground), keys: noKeys });
await Promise.all([made, prepareNamespace(temporal)]);
await temporal.close();

const ports = await freePorts(['api', 'worker'], {});
const env = { DATABASE_URL: ground.postgres.url, BUNDLE: bundle, ...temporalEnv(ground) };
const started = await Promise.all([
  startNode({
    file: 'bench/reference/starts.ts',
    env: { ...env, PORT: String(ports.api) },
    log: join(home, 'logs', 'bare-api.log'),
    ready: () => answers(`http://127.0.0.1:${ports.api}/`),
  }),
  startNode({
    file: 'bench/reference/worker.ts',
    env: { ...env, WORKER_PORT: String(ports.worker) },
    log: join(home, 'logs', 'bare-worker.log'),
    ready: () => answers(`http://127.0.0.1:${ports.worker}/`),
  }),
]);
for (const one of started) opened.use(one);
process.stdout.write('ready\n');
await stopping;
