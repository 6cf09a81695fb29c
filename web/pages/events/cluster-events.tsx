import { HistoryIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Card } from '../../components/page.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { Days } from '../../components/times/days.tsx';
import { ClockTime } from '../../components/times/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { isInContact, useCluster } from '../clusters/cluster-status.tsx';
import { type ClusterEvent, eventWords } from './event-words.ts';

/** Events by the day on which they happened, newest first. `current`: the cluster is in contact, so good news still count. */
export function EventList({ events, current }: { events: readonly ClusterEvent[]; current: boolean }) {
  return (
    <Days items={events}>
      {(ofDay, day) => (
        <Timeline label={`Events of ${day}`}>
          {ofDay.map((event) => {
            const { title, detail, tone } = eventWords(event);
            return (
              <TimelineItem
                key={event.id}
                // A past event is not live: a later event reports what followed.
                tone={tone === 'live' || (tone === 'good' && !current) ? 'neutral' : tone}
                title={<span className="font-medium">{title}</span>}
                aside={<ClockTime at={event.at} />}
              >
                {detail === '' ? undefined : detail}
              </TimelineItem>
            );
          })}
        </Timeline>
      )}
    </Days>
  );
}

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
