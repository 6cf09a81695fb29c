import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { v7 as uuid } from 'uuid';
import { createToken } from '../../../db/api-tokens/api-tokens.ts';
import { createEnrollmentToken } from '../../../db/clusters/enrollment-tokens.ts';
import { createOrganization } from '../../../db/organizations/organizations.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { actorId } from '../../../domain/actors/actors.ts';
import type { StageTime } from '../../../domain/deployments/states.ts';
import { connectTemporal, type Temporal } from '../../../temporal/connection/connect.ts';
import { payloadKeys } from '../../../temporal/connection/open.ts';
import { prepareNamespace } from '../../../temporal/connection/prepare-namespace.ts';
import { seedFullEnvironment } from '../../../test/seeds/seed-full-environment.ts';
import type { SeededPlace } from '../../../test/seeds/seed-place.ts';
import type { Benchmark, Opened } from '../../engine/benchmark.ts';
import { median } from '../../engine/measure.ts';
import { startNode } from '../../engine/node-process.ts';
import { type Ground, openGround } from '../../ground/ground.ts';
import { asBench, bearer } from '../../ground/seed.ts';
import { type Server, startApi, startBareWorker, startWorker } from '../../ground/servers.ts';
import type { SimulatedRollouts } from './rollouts-program.ts';

const together = 100;
const alone = 10;
const mostActivities = 8;

const rows = {
  together: `${together} deployments started together, against bare workflows with as many activities`,
  alone: "one deployment alone, from the request to its end, less its agent's time",
} as const;

/** Deployments of releases that are there, against workflows with as many activities of one statement each. */
export const deployments: Benchmark = {
  name: 'deployments',
  what: `${together} deployments started together, and one alone, against bare Temporal workflows with as many activities`,
  rows: [
    { name: rows.together, unit: 'workflows/s', better: 'more', leastRatio: 0.6 },
    { name: rows.alone, unit: 'ms', better: 'less', mostBeside: () => 400 },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const temporal = connectTemporal({ ...ground.temporal, keys: payloadKeys(ground.keyring) });
  opening.defer(() => temporal.close());
  // Without the encryption of payloads.
  const bare = new Client({ connection: temporal.connection, namespace: temporal.namespace });
  await prepareNamespace(temporal);
  const { organizationId, token } = await asBench(ground.database, async (running) => {
    const { id } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    const { secret } = await createToken(running, { organizationId: id, name: 'bench', role: 'deployer' });
    return { organizationId: id, token: secret };
  });
  const place = await seedFullEnvironment(ground.database, organizationId, { services: together, past: 20 });
  const target = { path: `/api/v1/environments/${place.environmentId}`, headers: bearer(token) };
  const api = opening.use(await startApi(ground, target));
  opening.use(await startWorker(ground));
  opening.use(await startBareWorker(ground));
  opening.use(await startAgent(ground, api, place));
  const services = await tenant(ground.database.kysely, organizationId).selectFrom('service').select('id').execute();
  const ids = services.map(({ id }) => id);
  const deploy = deploying({ ground, temporal, api, token, place });
  // The first round prepares statements and fills caches; and it says how many activities a deployment has.
  let counts = (await deploy(ids)).activities;
  const opened = opening.move();

  return {
    async reference() {
      const began = performance.now();
      await Promise.all(counts.map((count) => runBare(bare, count)));
      const took = performance.now() - began;
      const times: number[] = [];
      for (let number = 0; number < alone; number += 1) {
        const since = performance.now();
        await runBare(bare, counts[0] ?? 0);
        times.push(performance.now() - since);
      }
      return { [rows.together]: (counts.length * 1_000) / took, [rows.alone]: median(times) };
    },
    async subject() {
      const all = await deploy(ids);
      counts = all.activities;
      const times: number[] = [];
      for (const id of ids.slice(0, alone)) times.push((await deploy([id])).beside);
      return { [rows.together]: (ids.length * 1_000) / all.took, [rows.alone]: median(times) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function startAgent(ground: Ground, { url }: Server, { organizationId, clusterId }: SeededPlace) {
  const cluster = { id: clusterId, organizationId };
  const { secret } = await asBench(ground.database, (running) => createEnrollmentToken(running, cluster));
  const { kysely } = ground.database;
  const simulated: SimulatedRollouts = { url, token: secret };
  const before = new Date();
  return await startNode({
    file: 'bench/subjects/delivery/rollouts-program.ts',
    args: [JSON.stringify(simulated)],
    env: {},
    log: ground.file('agent.log'),
    async ready() {
      const agent = kysely.selectFrom('cluster_agent').select('cluster_id').where('connected_at', '>', before);
      return (await agent.execute()).length > 0;
    },
  });
}

interface Deploying {
  ground: Ground;
  temporal: Temporal;
  api: Server;
  token: string;
  place: SeededPlace;
}

interface Deployed {
  took: number;
  /** The same without the time that the agent took, of the last one. */
  beside: number;
  /** How many regular activities each had. */
  activities: number[];
}

/** Deploys the live releases of these services again, all at once, until each deployment is live. */
function deploying({ ground: { database }, temporal, api, token, place }: Deploying) {
  return async (serviceIds: readonly string[]): Promise<Deployed> => {
    const began = performance.now();
    const ids = await Promise.all(serviceIds.map(start));
    const left = database.kysely.selectFrom('deployment').select('id').where('finished_at', 'is', null).limit(1);
    while ((await left.execute()).length > 0) await pause(20);
    const took = performance.now() - began;
    const ended = await database.kysely
      .selectFrom('deployment')
      .select(['state', 'stages', 'message'])
      .where('id', 'in', ids)
      .execute();
    const other = ended.find(({ state }) => state !== 'live');
    if (other !== undefined) throw new Error(`A deployment ended as ${other.state}: ${other.message}`);
    const activities = await Promise.all(ids.map((id) => activitiesOf(temporal, actorId('deployment', id))));
    const most = Math.max(...activities);
    if (most > mostActivities) throw new Error(`A deployment had ${most} activities.`);
    return { took, beside: took - agentMillis((ended[0]?.stages ?? []) as unknown as StageTime[]), activities };
  };

  async function start(serviceId: string): Promise<string> {
    const answer = await fetch(`${api.url}/api/v1/services/${serviceId}/redeploy`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify({ environmentId: place.environmentId, queue: true }),
    });
    const body = (await answer.json()) as { deployment?: { id: string } };
    if (body.deployment === undefined) throw new Error(`The API answered ${answer.status}: ${JSON.stringify(body)}`);
    return body.deployment.id;
  }
}

/** From the beginning of the first stage that the agent tells to the end of the last. */
function agentMillis(stages: readonly StageTime[]): number {
  const [first, last] = [stages.find(({ stage }) => stage === 'start'), stages.at(-1)];
  return Date.parse(last?.endedAt ?? '') - Date.parse(first?.startedAt ?? '');
}

async function activitiesOf(temporal: Temporal, workflowId: string): Promise<number> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes != null).length;
}

async function runBare(client: Client, count: number): Promise<void> {
  await client.workflow.execute('activities', { taskQueue: 'bare', workflowId: `bare/${uuid()}`, args: [count] });
}
