import { Badge } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { nameColumn } from '../../components/table/usual-columns.tsx';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { counted } from '../instances/counted.ts';
import { ClusterStatus, isInContact, type ListedCluster, urgencyOf } from './cluster-status.tsx';

/** Clusters at a glance. */
export const columns: Column<ListedCluster>[] = [
  nameColumn(({ local, schedulable, summary }) => (
    <>
      {local && <Badge>this installation</Badge>}
      {!schedulable && <Badge tone="attention">refuses new workloads</Badge>}
      {summary?.agentUpdateAvailable === true && <Badge tone="live">agent update available</Badge>}
    </>
  )),
  {
    label: 'State',
    cell: (cluster) => (
      <>
        <span className="text-text">
          <ClusterStatus cluster={cluster} />
        </span>
        {/* Out of contact, the time of the last heartbeat tells enough. */}
        {isInContact(cluster) && cluster.message !== '' && (
          <span className="block text-pretty">
            <WithTimes text={cluster.message} />
          </span>
        )}
      </>
    ),
    sort: urgencyOf,
    width: 'minmax(0, 1.5fr)',
  },
  {
    label: 'Runs on',
    cell: ({ region, driver }) => [region, driverWord(driver)].filter(Boolean).join(' · '),
    sort: ({ region }) => region,
  },
  {
    label: 'Workloads',
    cell: ({ summary }) => summary?.workloads,
    sort: ({ summary }) => summary?.workloads,
    width: '5.5rem',
    phone: 'labelled',
  },
  { label: 'Nodes', cell: (cluster) => <Nodes cluster={cluster} />, width: '7rem', phone: 'hidden' },
  {
    label: 'Agent',
    cell: (cluster) => (
      <>
        {cluster.agentVersion !== '' && `${cluster.agentVersion} · `}
        <LastHeard cluster={cluster} />
      </>
    ),
    sort: ({ agentVersion }) => agentVersion,
    width: '10.5rem',
    phone: 'labelled',
  },
];

function Nodes({ cluster }: { cluster: ListedCluster }) {
  const { summary } = cluster;
  if (!isInContact(cluster) || summary === undefined || summary.nodesTotal === 0) return null;
  return nodesText(summary.nodesReady, summary.nodesTotal);
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
