import { Notice } from '../../components/notice.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import type { ClusterAnswer } from '../clusters/cluster-status.tsx';

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
