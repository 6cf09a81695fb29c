import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { applySlice } from '../../db/workloads/cluster-slices.ts';
import { workload } from '../../protocol/workload.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { cpuSeconds } from '../engine/cpu-time.ts';
import { type NodeProcess, startNode } from '../engine/node-process.ts';
import { p99 } from '../engine/steady-load.ts';
import { type Ground, openGround } from '../ground/ground.ts';
import { asBench, bearer, seedTeams } from '../ground/seed.ts';
import { startApi, startWorker } from '../ground/servers.ts';
import type { SimulatedAgents } from './agents-program.ts';

const count = 200;
const instances = 25;
const seconds = 20;
const away = 90;

const rows = {
  cores: `cores of everything with ${count} agents of ${instances} instances, against none`,
  latency: 'p99 of 50 requests a second meanwhile',
  lost: `clusters called lost after ${away} s of a stopped API`,
} as const;

/** The same control plane with and without agents. It is the figures that are judged, not their ratio. */
export const agents: Benchmark = {
  name: 'agents',
  what: `${count} simulated agents, a heartbeat every 5 s, ${instances} instances each, against the same control plane without them`,
  rows: [
    { name: rows.cores, unit: 'cores', better: 'less', mostBeside: () => 1 },
    { name: rows.latency, unit: 'ms', better: 'less', mostBeside: (alone) => Math.max(25, 2 * alone) },
    { name: rows.lost, unit: 'clusters', better: 'less', mostBeside: () => 0 },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token } = await seedTeams(ground.database);
  const temporal = connectTemporal({ ...ground.temporal, keys: payloadKeys(ground.keyring) });
  await prepareNamespace(temporal);
  await temporal.close();
  const target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(token) };
  const api = opening.use(await startApi(ground, target));
  const worker = opening.use(await startWorker(ground));
  const simulated = await seedClusters(ground, organizationId, api.url);
  const pids = [...ground.pids, api.pid, worker.pid];
  const opened = opening.move();

  async function figures(lost: number): Promise<Figures> {
    await settled(ground);
    const load = { url: `${api.url}${target.path}`, headers: target.headers, perSecond: 50 };
    await p99({ ...load, seconds: 3 });
    const before = cpuSeconds(pids);
    const since = performance.now();
    const latency = await p99({ ...load, seconds });
    const used = cpuSeconds(pids) - before;
    return { [rows.cores]: used / ((performance.now() - since) / 1000), [rows.latency]: latency, [rows.lost]: lost };
  }

  return {
    async reference() {
      return await figures(0);
    },
    async subject(round) {
      await using _ = await startAgents(ground, simulated);
      const measured = await figures(0);
      // Once is enough: it takes its time, and time is all that it depends on.
      return round === 0 ? { ...measured, [rows.lost]: await lostAfterOutage(ground, api.pid) } : measured;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Waits until every message of the preparation is delivered to its actor. */
async function settled({ database }: Ground): Promise<void> {
  while ((await database.kysely.selectFrom('outbox').select('id').limit(1).execute()).length > 0) await pause(200);
}

async function seedClusters(ground: Ground, organizationId: string, url: string): Promise<SimulatedAgents> {
  const application = workload.parse({
    release: 'one',
    image: { layout: '/srv/application' },
    processes: [{ name: 'web', kind: 'http', port: 8080, replicas: instances }],
  });
  const tokens: string[] = [];
  for (let number = 0; number < count; number += 1) {
    await asBench(ground.database, async (running) => {
      const cluster = await createCluster(running, { organizationId, name: `Machine ${number}` });
      tokens.push((await createEnrollmentToken(running, cluster)).secret);
      const slice = { key: 'workload/web', name: 'web', workload: application, ingressDomain: 'localhost' };
      await applySlice(running, ground.keyring, cluster, slice);
    });
  }
  const [file, credentials, ready] = ['tokens', 'credentials', 'agents-ready'].map((name) => ground.file(name));
  if (!file || !credentials || !ready) throw new Error('Three files were to be named.');
  writeFileSync(file, tokens.join('\n'), { mode: 0o600 });
  writeFileSync(credentials, '', { mode: 0o600 });
  return { url, tokens: file, credentials, instances, ready };
}

async function startAgents(ground: Ground, simulated: SimulatedAgents): Promise<NodeProcess> {
  rmSync(simulated.ready, { force: true });
  return await startNode({
    file: 'bench/subjects/agents-program.ts',
    args: [JSON.stringify(simulated)],
    env: {},
    log: ground.file('agents.log'),
    ready: async () => existsSync(simulated.ready),
  });
}

/** How many clusters were called lost because nobody could reach the API for a while, and then could again. */
async function lostAfterOutage(ground: Ground, api: number): Promise<number> {
  const { kysely } = ground.database;
  const lost = kysely.selectFrom('cluster_event').select('id').where('kind', '=', 'agent.lost');
  const before = await lost.execute();
  process.kill(api, 'SIGSTOP');
  await pause(away * 1000);
  process.kill(api, 'SIGCONT');
  // As long as a loss would take to be noticed, and once more what the sweeper takes.
  await pause(60_000);
  return (await lost.execute()).length - before.length;
}
