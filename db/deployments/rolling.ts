import { isListening } from '../../domain/deployments/workload-of.ts';
import type { ReleaseContent } from '../../domain/services/settings.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import { allocatePorts } from '../workloads/internal-ports.ts';

/** A release that cannot be put on a cluster, and why. */
export class CannotRoll extends Error {
  override readonly name = 'CannotRoll';
  readonly blocker: 'configuration' | 'release-command';

  constructor(message: string, blocker: CannotRoll['blocker'] = 'configuration') {
    super(message);
    this.blocker = blocker;
  }
}

/** The minor versions of the agents' protocol that know rollouts, release commands, and files. */
const rolloutMinor = 2;
const releaseCommandMinor = 3;
const filesMinor = 4;

/** The agent of the cluster on which a release is put, as it was heard last. */
export interface RollingAgent {
  minor: number;
  journalId: string | null;
  connectedAt: Date | null;
  facts: JsonObject | null;
  clusterName: string;
  clusterSlug: string;
}

export async function agentOf({ kysely }: Effect, clusterId: string): Promise<RollingAgent | undefined> {
  return await kysely
    .selectFrom('cluster_agent')
    .innerJoin('cluster', 'cluster.id', 'cluster_agent.cluster_id')
    .select(['protocol_minor as minor', 'journal_id as journalId', 'connected_at as connectedAt', 'facts'])
    .select(['cluster.name as clusterName', 'cluster.slug as clusterSlug'])
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst();
}

/** An agent of before rollouts would replace instances one by one, and tell nothing of it. */
export function refuseOldAgent(agent: RollingAgent | undefined, releases: boolean, files: boolean): void {
  if (agent === undefined || agent.connectedAt === null) return;
  const old =
    agent.minor < rolloutMinor
      ? 'rollouts'
      : releases && agent.minor < releaseCommandMinor
        ? 'release commands'
        : files && agent.minor < filesMinor
          ? 'files'
          : undefined;
  if (old === undefined) return;
  const what = `is too old for ${old}: update it with`;
  throw new CannotRoll(
    `The agent of the cluster "${agent.clusterName}" ${what} \`./ballast cluster update --cluster ${agent.clusterSlug}\` first.`,
    old === 'release commands' ? 'release-command' : 'configuration',
  );
}

/**
 * With Docker names lead from service to service; elsewhere, and where no agent has told its driver yet, each process that
 * listens has a port of the loopback.
 */
export async function portsOf(
  effect: Effect,
  cluster: ClusterRef,
  key: string,
  { settings }: ReleaseContent,
  agent: RollingAgent | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (agent?.facts?.driver === 'docker') return new Map();
  const listening = Object.values(settings.processes).filter(isListening);
  return await allocatePorts(
    effect,
    cluster,
    key,
    listening.map(({ name }) => name),
  );
}
