import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { Days } from '../../components/times/days.tsx';
import { ClockTime } from '../../components/times/time.tsx';
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
