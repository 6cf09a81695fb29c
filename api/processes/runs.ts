import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import { commandView, createCommand } from '../../db/commands/cluster-commands.ts';
import { rolloutKey } from '../../db/deployments/rollout.ts';
import type { Effect } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { ProcessView } from '../../db/services/processes.ts';
import { recordService, type ServiceView } from '../../db/services/services.ts';
import { findSlice } from '../../db/workloads/cluster-slices.ts';
import { findObservedSlice } from '../../db/workloads/observed-slices.ts';
import { Problem } from '../../domain/problems.ts';
import { rolloutMinor } from '../../protocol/version.ts';
import { theCluster } from '../clusters/cluster.ts';
import { commandSchema, existing, presentCommand, refuseWithoutContact } from '../commands/command.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { theService } from '../services/service.ts';
import { environmentOf } from '../services/service-place.ts';
import { instanceSchema, presentInstance } from '../workloads/workload.ts';
import { theProcess } from './process.ts';

export const listProcessRuns = operation({
  method: 'GET',
  url: '/api/v1/processes/{id}/runs',
  summary: 'List the runs of a cron process in an environment, newest first',
  description: 'Those that the machine still keeps: what runs, and the last that ended. Each is an instance.',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProcess,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: z.object({ items: z.array(instanceSchema) }).meta({ id: 'ProcessRuns' }),
  async handle({ found: process, caller, query, database: { kysely } }) {
    const service = await caller.see(theService, process.serviceId);
    const environment = await environmentOf(caller, service, query.environmentId);
    if (environment.clusterId === null) return { items: [] };
    const cluster = await caller.see(theCluster, environment.clusterId);
    const observed = await findObservedSlice(kysely, cluster, rolloutKey(environment.id, service.id));
    const runs = (observed?.instances ?? [])
      .flatMap((instance) => presentInstance(cluster, instance, service.slug))
      .filter((instance) => instance.process === process.name);
    return { items: runs.toSorted((one, other) => startOf(other).localeCompare(startOf(one))) };
  },
});

/** One that has not started is the newest. */
function startOf({ startedAt = '9' }: { startedAt?: string | undefined }): string {
  return startedAt;
}

interface RunningPlace {
  service: ServiceView;
  environment: EnvironmentView;
  cluster: ClusterView;
  /** Of the cluster's workload. */
  key: string;
  /** The process's kind there. */
  kind: string;
}

const named = z.object({ processes: z.array(z.object({ name: z.string(), kind: z.string().default('') })) });

/** Where a process runs in an environment. Refuses what nobody would do: it is not deployed there, or nobody listens. */
async function runningPlace(
  { kysely }: Pick<Effect, 'kysely'>,
  caller: OrganizationCaller,
  process: ProcessView,
  environmentId: string,
): Promise<RunningPlace> {
  const service = await caller.see(theService, process.serviceId, kysely);
  const environment = await environmentOf(caller, service, environmentId, kysely);
  await refuseSuspended(kysely, service, environment);
  const key = rolloutKey(environment.id, service.id);
  const { clusterId } = environment;
  const cluster = clusterId === null ? undefined : await caller.see(theCluster, clusterId, kysely);
  const slice = cluster && (await findSlice(kysely, cluster, key));
  const processes = slice?.removedAt === null ? named.safeParse(slice.workload).data?.processes : undefined;
  const running = processes?.find(({ name }) => name === process.name);
  if (cluster === undefined || running === undefined) {
    throw new Problem(
      'conflict',
      `The process "${process.name}" of "${service.name}" is not deployed in the environment "${environment.name}": deploy it first.`,
    );
  }
  refuseWithoutContact(cluster);
  return { service, environment, cluster, key, kind: running.kind };
}

async function refuseSuspended(
  kysely: Effect['kysely'],
  { id, organizationId, name }: ServiceView,
  environment: EnvironmentView,
): Promise<void> {
  const suspended = await tenant(kysely, organizationId)
    .selectFrom('environment_service')
    .select('service_id')
    .where('environment_id', '=', environment.id)
    .where('service_id', '=', id)
    .where('suspended', '=', true)
    .executeTakeFirst();
  if (suspended === undefined) return;
  throw new Problem(
    'service-suspended',
    `"${name}" is suspended in "${environment.name}", and nothing of it runs: resume it first.`,
  );
}

/** The command that the agent of its cluster gets. */
async function commanded(
  effect: Effect,
  { keyring }: ServerParts,
  process: ProcessView,
  { cluster, service, environment, key }: RunningPlace,
  { kind, action }: { kind: 'restart' | 'run'; action: Parameters<typeof recordService>[1] },
) {
  const body = { kind, key, process: process.name };
  const id = await createCommand(effect, keyring, cluster, { body, expiresInSeconds: 60 });
  recordService(effect, action, service, { process: process.name, environment: environment.name, command: id });
  return presentCommand(existing(await commandView(effect.kysely, cluster, id)));
}

export const restartProcess = operation({
  method: 'POST',
  url: '/api/v1/processes/{id}/restart',
  summary: 'Restart a process in an environment',
  description:
    'Replaces the instances of its live release one after the other. How it ends is told by `GET /environments/{id}/commands/{commandId}`.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'service-suspended', 'cluster-not-ready'],
  of: theProcess,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  status: 202,
  result: commandSchema,
  async handle({ found: process, caller, query, effect, server }) {
    const place = await runningPlace(effect, caller, process, query.environmentId);
    return await commanded(effect, server, process, place, { kind: 'restart', action: 'service.process_restarted' });
  },
});

export const runProcess = operation({
  method: 'POST',
  url: '/api/v1/processes/{id}/run',
  summary: 'Run a cron process in an environment now',
  description:
    'One run of its live release, besides those of its schedule. How it begins is told by `GET /environments/{id}/commands/{commandId}`, the run by `GET /processes/{id}/runs`.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'service-suspended', 'cluster-not-ready'],
  of: theProcess,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  status: 202,
  result: commandSchema,
  async handle({ found: process, caller, query, effect, server }) {
    const place = await runningPlace(effect, caller, process, query.environmentId);
    const { cluster } = place;
    if (place.kind !== 'cron') {
      throw new Problem('conflict', `The process "${process.name}" is no cron process: restart it instead.`);
    }
    if (cluster.agent.protocolMinor < rolloutMinor) {
      throw new Problem(
        'cluster-not-ready',
        `The agent of the cluster "${cluster.name}" is too old to run a process now: update it first.`,
      );
    }
    return await commanded(effect, server, process, place, { kind: 'run', action: 'service.cron_run' });
  },
});
