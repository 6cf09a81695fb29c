import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { type ClusterEvent, eventWords } from './event-words.ts';

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** Events by the day on which they happened, newest first. */
export function EventList({ events }: { events: readonly ClusterEvent[] }) {
  return (
    <div className="divide-y divide-line">
      {byDay(events).map(([name, ofDay]) => (
        <section key={name}>
          <h2 className="bg-ground px-4 py-2 font-medium text-soft text-xs">{name}</h2>
          <Timeline label={`Events of ${name}`}>
            {ofDay.map((event) => {
              const { title, detail, tone } = eventWords(event);
              const at = new Date(event.at);
              return (
                <TimelineItem
                  key={event.id}
                  // What has begun is over by now, or a later event says so.
                  tone={tone === 'live' ? 'neutral' : tone}
                  title={<span className="font-medium">{title}</span>}
                  aside={
                    <time dateTime={event.at} title={exact.format(at)}>
                      {clock.format(at)}
                    </time>
                  }
                >
                  {detail === '' ? undefined : detail}
                </TimelineItem>
              );
            })}
          </Timeline>
        </section>
      ))}
    </div>
  );
}

function byDay(events: readonly ClusterEvent[]): [name: string, events: ClusterEvent[]][] {
  const days: [string, ClusterEvent[]][] = [];
  for (const event of events) {
    const name = dayName(new Date(event.at));
    const last = days.at(-1);
    if (last?.[0] === name) last[1].push(event);
    else days.push([name, [event]]);
  }
  return days;
}

function dayName(at: Date): string {
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (at.toDateString() === today.toDateString()) return 'Today';
  if (at.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return day.format(at);
}
