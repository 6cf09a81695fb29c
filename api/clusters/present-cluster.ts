import type { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import { brokenSlices } from '../../db/workloads/broken-slices.ts';
import { capabilitiesOf, notesOf } from '../../domain/clusters/capabilities.ts';
import { type Facts, facts } from '../../protocol/agent.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { asOf } from './as-of.ts';
import type { clusterSchema } from './cluster.ts';

export type ClusterAnswer = z.output<typeof clusterSchema>;

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
    id: cluster.id,
    name: cluster.name,
    slug: cluster.slug,
    region: cluster.region,
    status: cluster.state,
    message: cluster.message ?? '',
    notes: notesOf(machine),
    local: cluster.local,
    schedulable: cluster.schedulable,
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
    desiredRevision: cluster.desiredRevision,
    reconcileError: agent.error ?? '',
    compileError: compileError(broken),
    ...(machine?.buildLimits === undefined ? {} : { buildLimits: machine.buildLimits }),
    createdAt: cluster.createdAt.toISOString(),
    ...(agent.lastHeartbeatAt === null ? {} : { lastHeartbeatAt: agent.lastHeartbeatAt.toISOString() }),
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
