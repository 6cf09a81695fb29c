import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Notice } from '../../components/notice.tsx';
import { isOutOfContact, Status, Told, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import { BriefTime } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
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

/** Stands above everything that a lost agent told. */
export function NoHeartbeat({ cluster: { asOf, message } }: { cluster: Pick<ClusterAnswer, 'asOf' | 'message'> }) {
  return (
    <Notice
      tone="fault"
      title={<>No heartbeat since {asOf === undefined ? 'it was connected' : <BriefTime at={asOf.at} />}</>}
    >
      {message !== '' && <p>{message}</p>}
      <p>Its workloads are probably still running. States are shown as last known.</p>
    </Notice>
  );
}

const route = getRouteApi('/$organization/clusters/$cluster');

/** The cluster whose id is in the address, for the pages beneath it. */
export function useCluster() {
  const { trpc } = usePlane();
  const { cluster: id } = route.useParams();
  return useQuery(trpc.clusters.get.queryOptions({ path: { id } }));
}
