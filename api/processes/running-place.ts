import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import { rolloutKey } from '../../db/deployments/rollout.ts';
import type { Effect } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { ProcessView } from '../../db/services/processes.ts';
import type { ServiceView } from '../../db/services/services.ts';
import { findSlice } from '../../db/workloads/cluster-slices.ts';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { refuseWithoutContact } from '../commands/command.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';

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
export async function runningPlace(
  { kysely }: Pick<Effect, 'kysely'>,
  caller: OrganizationCaller,
  process: ProcessView,
  environmentId: string,
): Promise<RunningPlace> {
  const service = await caller.see(theService, process.serviceId, kysely);
  const environment = await caller.see(theEnvironment, environmentId, kysely);
  if (environment.projectId !== service.projectId) {
    throw new Problem('not-found', 'The environment is of another project.');
  }
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
