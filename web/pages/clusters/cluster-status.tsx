import { isOutOfContact, Status, Told, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type ClusterAnswer = Answers['clusters']['get'];
export type ListedCluster = Answers['clusters']['list']['items'][number];
type ClusterState = ClusterAnswer['status'];

/** States of a cluster in words, the most urgent first. */
const states: Record<ClusterState, { word: string; tone: Tone; urgency: number }> = {
  failed: { word: 'Failed', tone: 'fault', urgency: 0 },
  lost: { word: 'Lost contact', tone: 'fault', urgency: 1 },
  degraded: { word: 'Degraded', tone: 'attention', urgency: 2 },
  'awaiting-agent': { word: 'Waiting for its agent', tone: 'attention', urgency: 3 },
  updating: { word: 'Updating its agent', tone: 'live', urgency: 4 },
  deleting: { word: 'Deleting', tone: 'live', urgency: 5 },
  ready: { word: 'Ready', tone: 'good', urgency: 6 },
  deleted: { word: 'Deleted', tone: 'neutral', urgency: 7 },
};

type HeardOf = Pick<ClusterAnswer, 'status' | 'asOf'>;

export function ClusterStatus({ cluster }: { cluster: HeardOf }) {
  const { word, tone } = wordsOf(states, cluster.status);
  if (cluster.status === 'ready' || cluster.status === 'degraded') {
    return (
      <Told of={cluster} tone={tone}>
        {word}
      </Told>
    );
  }
  return <Status tone={tone}>{word}</Status>;
}

/** The most urgent clusters first; equal ones keep their order. */
export function byUrgency<Cluster extends Pick<ClusterAnswer, 'status'>>(clusters: readonly Cluster[]): Cluster[] {
  return clusters.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
}

export function urgencyOf({ status }: Pick<ClusterAnswer, 'status'>): number {
  return states[status]?.urgency ?? 0;
}

/** Whether the agent is in contact with the control plane. */
export function isInContact({ asOf }: Pick<ClusterAnswer, 'asOf'>): boolean {
  return asOf?.inContact === true;
}

/** Whether its agent was there once and is not heard of any more. A cluster that waits for its first agent is not lost. */
export function isLost(cluster: HeardOf): boolean {
  return cluster.status === 'lost' || (isOutOfContact(cluster) && cluster.status !== 'awaiting-agent');
}
