import { HistoryIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Card } from '../../components/page.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { isInContact } from '../clusters/cluster-status.tsx';
import { useCluster } from '../clusters/use-cluster.ts';
import { EventList } from './event-list.tsx';

const route = getRouteApi('/$organization/clusters/$cluster');

/** Events of a cluster. */
export function ClusterEvents() {
  const { trpc } = usePlane();
  const { cluster: id } = route.useParams();
  const cluster = useCluster().data;
  const events = usePages(trpc.clusters.events, { path: { id } });
  return (
    <Card>
      <LoadedPages
        pages={events}
        empty={
          <EmptyState icon={<HistoryIcon />} title="No events yet">
            Events of this cluster and its workloads are kept for 90 days.
          </EmptyState>
        }
      >
        {(items) => <EventList events={items} current={cluster !== undefined && isInContact(cluster)} />}
      </LoadedPages>
    </Card>
  );
}
