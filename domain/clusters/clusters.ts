/**
 * The states of a cluster:
 *
 * awaiting-agent: no agent has enrolled yet, or its credential was revoked. ready: its agent is in contact and healthy.
 * degraded: in contact, but a workload could not be applied or a node is not ready. updating: its agent is
 * being replaced. lost: no heartbeat came from the agent for a while. deleting: its deletion was requested. deleted and
 * failed are final.
 */
export const clusterStates = [
  'awaiting-agent',
  'ready',
  'degraded',
  'updating',
  'lost',
  'deleting',
  'deleted',
  'failed',
] as const;
export type ClusterState = (typeof clusterStates)[number];

const living = ['awaiting-agent', 'ready', 'degraded', 'updating', 'lost'] as const;

export function isClusterLiving(state: ClusterState): boolean {
  return (living as readonly string[]).includes(state);
}

/** The facts that decide a cluster's state. */
export interface ClusterFacts {
  contact: 'never' | 'connected' | 'lost';
  /** The reason why the cluster is degraded. */
  trouble: string | undefined;
  updating: boolean;
  deleting: boolean;
}

/** The one state that the facts amount to: what keeps people from relying on the cluster most comes first. */
export function clusterState({ contact, trouble, updating, deleting }: ClusterFacts): ClusterState {
  if (deleting) return 'deleting';
  if (contact === 'never') return 'awaiting-agent';
  if (contact === 'lost') return 'lost';
  if (updating) return 'updating';
  return trouble === undefined ? 'ready' : 'degraded';
}

/** Time without a heartbeat after which a cluster has lost contact. */
export const lostAfterSeconds = 45;
export const heartbeatSeconds = 5;

/** The kinds of a cluster's events. */
export const clusterEventKinds = [
  'agent.enrolled',
  'agent.connected',
  'agent.lost',
  'agent.reconnected',
  'agent.superseded',
  'agent.revoked',
  'agent.update.started',
  'agent.update.succeeded',
  'agent.update.returned',
  'agent.update.failed',
  'cluster.degraded',
  'cluster.recovered',
  'workload.applied',
  'workload.removed',
  'workload.failed',
  'workload.recovered',
  'instance.crash_loop',
  'disk.pressure',
  'disk.relieved',
] as const;
export type ClusterEventKind = (typeof clusterEventKinds)[number];
