import { join } from 'node:path';
import { freePorts } from '../../runtime/sockets/ports.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { workflowBundle } from '../../worker/host/bundle.ts';
import type { Benchmark, Opened } from '../engine/benchmark.ts';
import { requestsPerSecond } from '../engine/load.ts';
import { answers, startNode } from '../engine/node-process.ts';
import { residentMegabytes } from '../engine/resident-memory.ts';
import { type Ground, openGround } from '../ground/ground.ts';
import { bearer, seedTeams } from '../ground/seed.ts';
import { startApi, startReference, type Target, tuned } from '../ground/servers.ts';
import { writeBareBundle } from '../reference/bare-bundle.ts';

const api = 'memory of the API under load';
const worker = 'memory of the worker';

export const memory: Benchmark = {
  name: 'memory',
  what: 'resident memory: the API against bare Fastify and pg, the worker against a bare Temporal worker',
  rows: [
    { name: api, unit: 'MB', better: 'less' },
    { name: worker, unit: 'MB', better: 'less' },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token } = await seedTeams(ground.database);
  const target: Target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(token) };
  await readyNamespace(ground);
  // Both workers find their bundle made: bundling takes memory that is never needed again.
  await workflowBundle({ cache: join(ground.env.BALLAST_HOME ?? '', 'cache') });
  const bundle = ground.file('bare-bundle.js');
  await writeBareBundle(bundle);
  const opened = opening.move();
  return {
    reference: async () => ({
      [api]: await underLoad(target, startReference(ground, 'reads', target)),
      [worker]: await ofWorker(ground, 'bench/reference/worker.ts', { BUNDLE: bundle }),
    }),
    subject: async () => ({
      [api]: await underLoad(target, startApi(ground, target)),
      [worker]: await ofWorker(ground, 'worker/main.ts', tuned),
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function underLoad({ path, headers }: Target, starting: ReturnType<typeof startApi>): Promise<number> {
  await using server = await starting;
  const url = `${server.url}${path}`;
  await requestsPerSecond({ url, requests: [{ headers }], connections: 16, warmUpSeconds: 1, seconds: 2 });
  return residentMegabytes(server.pid);
}

async function ofWorker(ground: Ground, file: string, env: Record<string, string>): Promise<number> {
  const { worker: port } = await freePorts(['worker'], {});
  await using running = await startNode({
    file,
    env: { ...ground.env, ...env, WORKER_PORT: String(port) },
    log: ground.file('worker.log'),
    ready: () => answers(`http://127.0.0.1:${port}/readyz`),
  });
  return residentMegabytes(running.pid);
}

async function readyNamespace(ground: Ground): Promise<void> {
  const temporal = connectTemporal({ ...ground.temporal, keys: payloadKeys(ground.keyring) });
  await prepareNamespace(temporal);
  await temporal.close();
}
