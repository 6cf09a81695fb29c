import { setTimeout as pause } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { pino } from 'pino';
import { createCluster } from '../../db/clusters/clusters.ts';
import { connectTemporal, type Temporal } from '../../temporal/connection/connect.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { taskQueue } from '../../temporal/connection/task-queue.ts';
import { reconcile } from '../../worker/duties/reconciler.ts';
import { runningActors } from '../../worker/duties/running-actors.ts';
import { openMetrics } from '../../worker/host/metrics.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { cpuSeconds } from '../engine/cpu-time.ts';
import { type Ground, openGround } from '../ground/ground.ts';
import { asBench, bearer, seedTeams } from '../ground/seed.ts';
import { startApi, startWorker } from '../ground/servers.ts';

const count = 10_000;
/** As many clusters as one transaction creates. */
const together = 100;
/** Four passes of the reconciler. */
const seconds = 120;

const rows = {
  cores: `cores of everything at rest with ${count} open workflows, against none`,
  calls: 'calls to Temporal of one pass of the reconciler',
} as const;

/** Two control planes beside each other, of which one has open workflows. It is the figures that are judged. */
export const openWorkflows: Benchmark = {
  name: 'open-workflows',
  what: `${count} open workflows at rest, against the same control plane without them`,
  rows: [
    { name: rows.cores, unit: 'cores', better: 'less', mostBeside: (alone) => alone + 0.1 },
    { name: rows.calls, unit: 'calls', better: 'less', mostBeside: () => 200 },
  ],
  rounds: 1,
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const empty = opening.use(await openPlane());
  const full = opening.use(await openPlane());
  await beginWorkflows(full);
  const opened = opening.move();
  return {
    reference: () => atRest(empty),
    subject: () => atRest(full),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface Plane extends AsyncDisposable {
  ground: Ground;
  temporal: Temporal;
  organizationId: string;
  pids: readonly number[];
}

async function openPlane(): Promise<Plane> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token } = await seedTeams(ground.database);
  const temporal = connectTemporal({ ...ground.temporal, keys: payloadKeys(ground.keyring) });
  opening.defer(() => temporal.close());
  await prepareNamespace(temporal);
  const target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(token) };
  const api = opening.use(await startApi(ground, target));
  const worker = opening.use(await startWorker(ground));
  const opened = opening.move();
  const pids = [...ground.pids, api.pid, worker.pid];
  return { ground, temporal, organizationId, pids, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Creates clusters that wait for their agents, until each has its workflow, has nothing more to do and is known by visibility. */
async function beginWorkflows({ ground: { database }, temporal, organizationId }: Plane): Promise<void> {
  for (let made = 0; made < count; made += together) {
    await asBench(database, async (running) => {
      for (let number = made; number < made + together; number += 1) {
        await createCluster(running, { organizationId, name: `Machine ${number}` });
      }
    });
  }
  const outbox = database.kysely.selectFrom('outbox').select('id').limit(1);
  while ((await outbox.execute()).length > 0) await pause(1_000);
  const known = async () => (await runningActors(temporal)).size;
  while ((await known()) < count || (await tasksOf(temporal)) > 0) await pause(1_000);
}

/** Those that wait for a worker. */
async function tasksOf({ connection, namespace }: Temporal): Promise<number> {
  const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
  const kinds = [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY];
  const described = kinds.map((taskQueueType) =>
    connection.workflowService
      .describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType, reportStats: true })
      .then(({ stats }) => Number(stats?.approximateBacklogCount ?? 0)),
  );
  return (await Promise.all(described)).reduce((sum, one) => sum + one, 0);
}

async function atRest(plane: Plane): Promise<Figures> {
  const before = cpuSeconds(plane.pids);
  const since = performance.now();
  await pause(seconds * 1_000);
  const used = cpuSeconds(plane.pids) - before;
  return { [rows.cores]: used / ((performance.now() - since) / 1_000), [rows.calls]: await callsOfPass(plane) };
}

/** One more pass, here, over a connection that counts. */
async function callsOfPass({ ground: { database }, temporal }: Plane): Promise<number> {
  let calls = 0;
  const workflowService = new Proxy(temporal.connection.workflowService, {
    get(service, name, receiver) {
      const method: unknown = Reflect.get(service, name, receiver);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]) => {
        calls += 1;
        return Reflect.apply(method, service, given);
      };
    },
  });
  const connection = Object.create(temporal.connection, { workflowService: { value: workflowService } });
  await reconcile({
    database,
    temporal: { ...temporal, connection },
    log: pino({ level: 'silent' }),
    metrics: openMetrics(undefined),
  });
  return calls;
}
