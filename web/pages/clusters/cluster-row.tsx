import { Row } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { counted } from '../instances/counted.ts';
import { ClusterStatus, isInContact, type ListedCluster } from './cluster-status.tsx';

/** A cluster at a glance. */
export function ClusterRow({ cluster }: { cluster: ListedCluster }) {
  const { slug } = useMembership();
  const { summary } = cluster;
  return (
    <Row
      title={cluster.name}
      link={{ to: '/$organization/clusters/$cluster', params: { organization: slug, cluster: cluster.id } }}
      badges={
        <>
          {cluster.local && <Badge>this installation</Badge>}
          {!cluster.schedulable && <Badge tone="attention">refuses new workloads</Badge>}
          {summary?.agentUpdateAvailable === true && <Badge tone="live">agent update available</Badge>}
        </>
      }
      detail={
        cluster.message === ''
          ? [cluster.region, driverWord(cluster.driver)].filter(Boolean).join(' · ')
          : cluster.message
      }
      facts={
        <>
          <span className="text-text sm:w-42">
            <ClusterStatus cluster={cluster} />
          </span>
          <span className="sm:w-28">
            {summary !== undefined && counted(summary.workloads, 'workload')}
            {isInContact(cluster) && summary !== undefined && summary.nodesTotal > 0 && (
              <span className="block">{nodesText(summary.nodesReady, summary.nodesTotal)}</span>
            )}
          </span>
          <span className="sm:w-32">
            {cluster.agentVersion !== '' && <span className="block">Agent {cluster.agentVersion}</span>}
            <LastHeard cluster={cluster} />
          </span>
        </>
      }
    />
  );
}

/** During contact, a heartbeat time would be outdated before it is read. */
export function LastHeard({ cluster }: { cluster: Pick<ListedCluster, 'asOf' | 'lastHeartbeatAt'> }) {
  if (isInContact(cluster)) return <>In contact</>;
  if (cluster.lastHeartbeatAt === undefined) return <>Never in contact</>;
  return (
    <>
      Last heartbeat <Time at={cluster.lastHeartbeatAt} />
    </>
  );
}

export function driverWord(driver: string): string {
  return { process: 'Processes', docker: 'Containers' }[driver] ?? driver;
}

function nodesText(ready: number, total: number): string {
  return ready === total ? `${counted(total, 'node')} ready` : `${ready} of ${total} nodes ready`;
}
