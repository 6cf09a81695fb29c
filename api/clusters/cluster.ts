import type { Kysely } from 'kysely';
import { z } from 'zod';
import { currentRelease } from '../../db/agent-updates/agent-releases.ts';
import { type ClusterView, findCluster } from '../../db/clusters/clusters.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { brokenSlices } from '../../db/workloads/broken-workloads.ts';
import { capabilitiesOf, notesOf } from '../../domain/clusters/capabilities.ts';
import { clusterStates } from '../../domain/clusters/clusters.ts';
import { type Facts, facts } from '../../protocol/agent.ts';
import { fingerprintOf, trust } from '../../protocol/release-proof.ts';
import { currentKey } from '../../protocol/verify-proof.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** The address of a host name that an agent's ingress serves at this port; empty while the port is not known. */
export function addressOf(host: string, port: number | undefined): string {
  if (port === undefined) return '';
  return port === 80 ? `http://${host}` : `http://${host}:${port}`;
}

/** How current is all that an agent told. */
export const asOfSchema = z
  .object({
    at: z.iso.datetime().describe('The last heartbeat of the agent: until then this was so.'),
    inContact: z.boolean().describe('Whether the agent is in contact; otherwise this is the last known state.'),
  })
  .describe('How current this is, since the agent told it; absent before any agent was heard of.')
  .meta({ id: 'AsOf' });

/** To be spread into an answer that holds something of what the cluster's agent told. */
export function asOf({ agent }: Pick<ClusterView, 'agent'>): { asOf?: z.output<typeof asOfSchema> } {
  if (agent.lastHeartbeatAt === null) return {};
  return { asOf: { at: agent.lastHeartbeatAt.toISOString(), inContact: agent.contact === 'connected' } };
}

export const theCluster = resource('cluster', findCluster);

const flag = z.boolean();
const texts = z.array(z.string());

const clusterCapabilitiesSchema = z
  .object({
    buildOptions: flag,
    buildRegistry: flag,
    builderAuto: flag,
    certificateSecrets: flag,
    dbOperator: flag,
    dbOperatorBackupPlugin: flag,
    databaseRestore: flag,
    edgeFronting: flag,
    fileMounts: flag,
    fixedPorts: flag,
    heldSpecs: flag,
    heldSuspend: flag,
    kindMetrics: flag,
    metricsServer: flag,
    nodePrivateNet: flag,
    processArgs: flag,
    autoBuilds: flag,
    releaseCommand: flag,
    privateNet: flag,
    ingressController: flag,
    trafficMetrics: flag,
    defaultStorageClass: z.string(),
    privateNetEgressProxyGroup: z.string(),
    edgeIngressIPs: texts,
    expandableStorageClasses: texts,
    ingressIPs: texts,
    storageClasses: texts,
    ingressCertResolvers: texts,
  })
  .describe('What operations of today can do with the cluster: true only where one uses it.')
  .meta({ id: 'ClusterCapabilities' });

export const clusterSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    slug: z.string(),
    region: z.string(),
    status: z.enum(clusterStates),
    message: z.string().describe('The reason for its state; may be empty.'),
    notes: texts.describe('Limitations of this cluster that matter when you deploy to it.'),
    local: z.boolean().describe('The one on the machine of the installation itself.'),
    schedulable: z.boolean().describe('Whether it accepts new workloads.'),
    driver: z
      .string()
      .describe('The driver that runs instances: process or docker; empty before the agent has reported.'),
    agentVersion: z.string(),
    runtimeVersion: z.string(),
    runtimeUpdate: z.object({
      current: z.string(),
      minor: z.object({ version: z.string() }),
      patch: z.object({ version: z.string() }),
    }),
    apiServerUrl: z.string(),
    podCidr: z.string(),
    serviceCidr: z.string(),
    meshIndex: z.int(),
    haState: z.enum(['single']),
    highlyAvailable: z.boolean(),
    nodeCount: z.int(),
    nodes: z
      .array(
        z.object({
          name: z.string(),
          ready: z.boolean(),
          server: z.boolean(),
          cpuMilli: z.int(),
          memoryBytes: z.int(),
        }),
      )
      .describe('Its machines, as the agent last reported them.'),
    serverCount: z.int(),
    appliedRevision: z.int(),
    desiredRevision: z.int(),
    reconcileError: z
      .string()
      .describe('The error that keeps the agent from the desired state; empty if there is none.'),
    compileError: z.string().describe('The error that keeps the desired state from the agent; empty if there is none.'),
    buildLimits: z
      .object({
        memoryBytes: z.int(),
        diskBytes: z.int(),
        seconds: z.int(),
        cpuMilli: z.int().optional().describe('Thousandths of a core; absent: all of them.'),
      })
      .optional()
      .describe('The most that a build may take there, unless its service says less. Absent: nothing is built there.'),
    createdAt: z.iso.datetime(),
    lastHeartbeatAt: z.iso.datetime().optional().describe('Absent: no agent was ever heard of.'),
    asOf: asOfSchema.optional(),
    capabilities: clusterCapabilitiesSchema,
    summary: z
      .object({
        agentUpdateAvailable: z.boolean(),
        nodesReady: z.int(),
        nodesTotal: z.int(),
        workloads: z.int(),
      })
      .optional()
      .describe('Only in the list, and if it was asked for.'),
  })
  .meta({ id: 'Cluster' });

const joining = {
  expiresAt: z.iso.datetime(),
  installCommand: z.string().describe('To be run on the machine: installs the agent and enrols it.'),
  token: z.string().describe('Enrols one agent, once.'),
};
export const clusterCreatedSchema = z.object({ cluster: clusterSchema, ...joining }).meta({ id: 'ClusterCreated' });
export const enrollmentTokenSchema = z.object(joining).meta({ id: 'EnrollmentToken' });

export const clusterName = nameText();
export const clusterRegion = nameText(0).describe('Where its machines are, in your own words.');

type ClusterAnswer = AnswerOf<typeof clusterSchema>;

/** The agent's last facts about its machine; undefined before the first report, or if an older agent reports another form. */
export function factsOf(cluster: ClusterView): Facts | undefined {
  return facts.safeParse(cluster.agent.facts).data;
}

/** A cluster as the specification describes it. What its driver does not have is empty: docs/http-api-additions.md. */
export function presentCluster(cluster: ClusterView, broken: readonly string[] = []): ClusterAnswer {
  const { agent } = cluster;
  const machine = factsOf(cluster);
  const runtimeVersion = machine?.runtimeVersion ?? '';
  return {
    ...cluster,
    status: cluster.state,
    message: cluster.message ?? '',
    notes: notesOf(machine),
    driver: machine?.driver ?? '',
    agentVersion: agent.version ?? '',
    runtimeVersion,
    runtimeUpdate: { current: runtimeVersion, minor: { version: '' }, patch: { version: '' } },
    apiServerUrl: '',
    podCidr: '',
    serviceCidr: '',
    meshIndex: 0,
    haState: 'single',
    highlyAvailable: false,
    nodeCount: machine?.nodes.length ?? 0,
    nodes: machine?.nodes ?? [],
    serverCount: machine?.nodes.filter(({ server }) => server).length ?? 0,
    appliedRevision: agent.appliedRevision,
    reconcileError: agent.error ?? '',
    compileError: compileError(broken),
    buildLimits: machine?.buildLimits,
    lastHeartbeatAt: agent.lastHeartbeatAt,
    ...asOf(cluster),
    capabilities: capabilitiesOf(machine),
  };
}

/** Clusters with the error that keeps their desired state from being delivered. */
export async function presentClusters(
  { database, keyring }: Pick<ServerParts, 'database' | 'keyring'>,
  organizationId: string,
  clusters: readonly ClusterView[],
): Promise<(cluster: ClusterView) => ClusterAnswer> {
  const ids = clusters.map(({ id }) => id);
  const broken = await brokenSlices(database.kysely, keyring, organizationId, ids);
  return (cluster) => presentCluster(cluster, broken.get(cluster.id));
}

function compileError(broken: readonly string[]): string {
  if (broken.length === 0) return '';
  const names = broken.slice(0, 5).map((name) => `"${name}"`);
  const more = broken.length > 5 ? ` and ${broken.length - 5} more` : '';
  return `The secrets of ${names.join(', ')}${more} do not open any more: apply it again.`;
}

/** The extra fields of each cluster in a list that is asked for a summary. */
export function summaryOf(cluster: ClusterView, available: string | undefined): NonNullable<ClusterAnswer['summary']> {
  const nodes = factsOf(cluster)?.nodes ?? [];
  const { image } = cluster.agent;
  return {
    agentUpdateAvailable: image !== null && available !== undefined && image !== available,
    nodesReady: nodes.filter(({ ready }) => ready).length,
    nodesTotal: nodes.length,
    workloads: cluster.workloads,
  };
}

/** Of the key that has signed the release that is offered; nothing as long as there is none. */
export async function signingFingerprint(kysely: Kysely<Tables>): Promise<string | undefined> {
  const keys = trust.safeParse((await currentRelease(kysely))?.proof).data;
  return keys === undefined ? undefined : fingerprintOf(currentKey(keys));
}
