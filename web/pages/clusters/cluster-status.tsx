import { Status, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type ClusterAnswer = Answers['clusters']['get'];
export type ListedCluster = Answers['clusters']['list']['items'][number];
type ClusterState = ClusterAnswer['status'];

/** How a cluster is, in words; what most needs somebody comes first. */
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

export function ClusterStatus({ cluster }: { cluster: Pick<ClusterAnswer, 'status'> }) {
  const { word, tone } = wordsOf(states, cluster.status);
  return <Status tone={tone}>{word}</Status>;
}

/** Those that most need somebody first, the others as they were. */
export function byUrgency<Cluster extends Pick<ClusterAnswer, 'status'>>(clusters: readonly Cluster[]): Cluster[] {
  const urgency = ({ status }: Cluster) => states[status]?.urgency ?? 0;
  return clusters.toSorted((one, other) => urgency(one) - urgency(other));
}

/** Whether its agent speaks with the control plane now. */
export function isInContact({ status }: Pick<ClusterAnswer, 'status'>): boolean {
  return status === 'ready' || status === 'degraded' || status === 'updating';
}
