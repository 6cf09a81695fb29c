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
interface ClusterFacts {
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

/** A release of the agent, `ballast-agent:1.2.3-0123456789ab`, as people speak of it. */
export function releaseName(image: string): { version: string; build: string } {
  const found = /^(?:.*:)?(.+)-([0-9a-f]{12})$/.exec(image);
  return { version: found?.[1] ?? image, build: found?.[2] ?? '' };
}

/** Two releases of one version differ in their build alone, so it is named, too. */
export function releaseText(image: string): string {
  const { version, build } = releaseName(image);
  return build === '' ? version : `${version} (${build})`;
}

/**
 * The states of a command to an agent: queued until the agent takes it, delivered while it holds its lease. The rest is
 * final: done (it ran to its end, whatever its exit code), failed (it could not be done), unknown (the agent was
 * interrupted and cannot say), lost (who has its journal never came back), cancelled, expired (nobody took it in time).
 */
export const commandStates = [
  'queued',
  'delivered',
  'done',
  'failed',
  'unknown',
  'lost',
  'cancelled',
  'expired',
] as const;
export type CommandState = (typeof commandStates)[number];

/** How a command ended, with the words of its agent. */
export interface CommandEnded {
  state: CommandState;
  message: string | null;
}

export function isCommandOver(state: CommandState): boolean {
  return state !== 'queued' && state !== 'delivered';
}

/** From this minor of the protocol on an agent knows the command `delete-volumes`; it stays queued until the agent is updated. */
export const deleteVolumesMinor = 4;

/** From this minor on an agent has what mounts a volume stand still. */
export const standstillMinor = 11;

/** Commands that wait until the agent is of that minor of the protocol. */
export const commandMinors: Readonly<Record<string, number>> = {
  'delete-volumes': deleteVolumesMinor,
  'backup-volume': 10,
  'restore-volume': standstillMinor,
};

/** The file system of a machine's data. */
export interface Disk {
  availableBytes: number;
  capacityBytes: number;
}

const gibibyte = 1_024 ** 3;

/** Of a small disk a share has to be free, of a large one so much. It has to become more before all is well again. */
const begins = { share: 0.1, bytes: 10 * gibibyte };
const ends = { share: 0.15, bytes: 15 * gibibyte };

/** Whether a disk is so full that unused images and old logs are deleted early; `before`: whether it was. */
export function isUnderPressure({ availableBytes, capacityBytes }: Disk, before: boolean): boolean {
  const { share, bytes } = before ? ends : begins;
  return availableBytes < Math.min(capacityBytes * share, bytes);
}
