import { z } from 'zod';
import { type ClusterView, findCluster } from '../../db/clusters/clusters.ts';
import { type OverviewRow, overviewOf } from '../../db/environments/overview.ts';
import { driftOf } from '../../db/releases/drift.ts';
import { deploymentKinds, deploymentStages, deploymentStates } from '../../domain/deployments/states.ts';
import { healthOf, replicasOf, serviceHealths } from '../../domain/environments/health.ts';
import type { DriftItem } from '../../domain/releases/drift.ts';
import { addressOf, asOf, asOfSchema, factsOf } from '../clusters/cluster.ts';
import { stageSchema, warningSchema, warningsAnswer } from '../deployments/deployment.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { operation } from '../engine/operation.ts';
import { frozenConfigSchema } from '../repository-config/effective-schema.ts';
import { stagedInSchema } from '../services/service.ts';
import { theEnvironment } from './environment.ts';

export const overviewServiceSchema = z
  .object({
    serviceId: z.guid(),
    serviceName: z.string(),
    serviceSlug: z.string(),
    health: z.enum(serviceHealths),
    activeReleaseId: z.guid().optional(),
    activeReleaseNumber: z.int().optional(),
    activeReleaseDigest: z.string().describe('The digest of its image; empty if nothing is live.'),
    activeReleaseCommit: z.string().describe('The commit that its image was built from; empty if that is not known.'),
    activeDeployedAt: z.iso.datetime().optional(),
    repositoryConfig: frozenConfigSchema.optional().describe('The configuration file of the live release.'),
    warnings: z
      .array(warningSchema)
      .describe('Of the live release: what a visitor gets instead of it, when it was asked once as it went live.'),
    replicasDesired: z.int(),
    replicasReady: z.int(),
    suspended: z.boolean(),
    suspendedAt: z.iso.datetime().optional(),
    suspendedBy: z.string().describe('Who suspended it; empty while it is not.'),
    domainCount: z.int(),
    addresses: z
      .array(
        z.object({
          process: z.string(),
          url: z.string().describe('Where it is reached from outside; empty where it is not, as a TCP process.'),
          internal: z.string().describe('Where other services of the environment reach it, as host:port.'),
        }),
      )
      .describe('Where its processes are reached.'),
    lastDeploymentId: z.guid().optional(),
    lastDeploymentKind: z.enum(deploymentKinds).optional(),
    pendingDeployment: z
      .object({
        id: z.guid(),
        kind: z.enum(deploymentKinds),
        releaseNumber: z.int(),
        state: z.enum(deploymentStates),
      })
      .optional(),
    failedDeployment: z
      .object({
        id: z.guid(),
        blocker: z.string(),
        message: z.string(),
        releaseNumber: z.int(),
        finishedAt: z.iso.datetime(),
      })
      .optional()
      .describe('The last deployment, if it failed.'),
    stages: z.array(stageSchema).describe('Of the pending deployment.'),
    blocker: z.string().describe('What the pending deployment waits for, or the last one failed by.'),
    message: z.string().describe('The same as a sentence; where there is neither, `fault`.'),
    fault: z.string().describe('What is wrong with what runs, as its agent says; empty where nothing is.'),
    drift: z
      .boolean()
      .describe('Its settings are not those of the live release, and no deployment of them is under way.'),
    driftCount: z.int().describe('How many settings and variables that is; 0 where nothing is live.'),
    drifting: z
      .array(z.string())
      .describe('These in words, at most 20: values are told by `GET /services/{id}/drift`.'),
    stagedIn: stagedInSchema.optional(),
  })
  .meta({ id: 'OverviewService' });

/** So many differences are named in an overview. */
const mostDrifting = 20;

const wantedProcesses = z.array(
  z.object({
    name: z.string(),
    kind: z.string(),
    replicas: z.int(),
    port: z.int().optional(),
    internalPort: z.int().optional(),
  }),
);
const told = z.object({ process: z.string(), state: z.string() });
const stored = z.object({
  stage: z.enum(deploymentStages),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  detail: z.string().default(''),
});

/** The cluster, which all services of the environment have in common. */
interface OverviewCluster {
  inContact: boolean;
  /** Of its ingress. */
  port: number | undefined;
}

function overviewCluster(cluster: ClusterView | undefined): OverviewCluster {
  const port = cluster && factsOf(cluster)?.ingress?.port;
  return { inContact: cluster?.agent.contact === 'connected', port };
}

function overviewServiceAnswer(
  row: OverviewRow,
  { inContact, port }: OverviewCluster,
  items: readonly DriftItem[] | undefined,
): AnswerOf<typeof overviewServiceSchema> {
  const { serviceSlug, suspended, pending, failed, last, error, drift } = row;
  const drifting = items ?? [];
  // Of another version's workload or instance nothing is known.
  const processes = wantedProcesses.safeParse(row.processes).data ?? [];
  const instances = (row.instances ?? []).flatMap((instance) => told.safeParse(instance).data ?? []);
  const replicas = replicasOf(processes, instances);
  return {
    ...row,
    health: healthOf({
      suspended,
      live: row.activeReleaseId !== null,
      inContact,
      observed: row.instances !== null,
      error: error !== null,
      replicas,
    }),
    activeReleaseDigest: row.activeReleaseDigest ?? '',
    activeReleaseCommit: row.activeReleaseCommit ?? '',
    repositoryConfig: row.file,
    warnings: warningsAnswer(row.warnings),
    replicasDesired: replicas.desired,
    replicasReady: replicas.ready,
    suspendedBy: row.suspendedBy ?? '',
    domainCount: 0,
    addresses: [
      ...row.hosts.map(({ process, host }) => ({ process, url: addressOf(host, port) })),
      ...processes
        .filter((one) => one.port !== undefined && !row.hosts.some(({ process }) => process === one.name))
        .map(({ name }) => ({ process: name, url: '' })),
    ].map((one) => ({ ...one, internal: internalAddress(processes, one.process, serviceSlug) })),
    lastDeploymentId: last?.id,
    lastDeploymentKind: last?.kind,
    pendingDeployment: pending,
    failedDeployment: failed && failedOf(failed),
    stages: (pending?.stages ?? []).flatMap((stage) => stored.safeParse(stage).data ?? []),
    blocker: (pending ?? failed)?.blocker ?? '',
    message: (pending ?? failed)?.message ?? error ?? '',
    fault: error ?? '',
    // A change that was taken back is none; of a service that was never live nothing is known.
    drift: drift && (items === undefined || items.length > 0),
    driftCount: drifting.length,
    drifting: drifting.slice(0, mostDrifting).map(({ label }) => label),
  };
}

/** A port of the loopback, or a name in the environment's network: the service's own leads to its first process. */
function internalAddress(processes: z.output<typeof wantedProcesses>, name: string, slug: string): string {
  const listening = processes.filter(({ port }) => port !== undefined);
  const process = listening.find((one) => one.name === name);
  if (process === undefined) return '';
  if (process.internalPort !== undefined) return `127.0.0.1:${process.internalPort}`;
  return `${listening[0] === process ? slug : `${name}.${slug}`}:${process.port}`;
}

function failedOf(failed: NonNullable<OverviewRow['failed']>) {
  const { blocker, message, finishedAt } = failed;
  return { ...failed, blocker: blocker ?? '', message: message ?? '', finishedAt: new Date(finishedAt) };
}

export const getOverview = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/overview',
  summary: 'Get the services of an environment with their releases, deployments and health',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  result: z.object({ services: z.array(overviewServiceSchema), asOf: asOfSchema.optional() }).meta({ id: 'Overview' }),
  async handle({ found: environment, database: { kysely } }) {
    const { organizationId, clusterId } = environment;
    const cluster = clusterId === null ? undefined : await findCluster(kysely, organizationId, clusterId);
    const rows = await overviewOf(kysely, environment);
    const drifts = rows.filter(({ drift }) => drift).map(({ serviceId }) => serviceId);
    const place = { organizationId, environmentId: environment.id };
    const drifting = await driftOf(kysely, place, drifts, { values: false });
    const shared = overviewCluster(cluster);
    return {
      services: rows.map((row) => overviewServiceAnswer(row, shared, drifting.get(row.serviceId))),
      ...(cluster === undefined ? {} : asOf(cluster)),
    };
  },
});
