import {
  goesNowhere,
  type NotifiedEvent,
  notifiedEvents,
  reachOf,
} from '../../../domain/notifications/notifications.ts';
import { Section } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { type Channel, eventWords, reachWords } from './channel-words.ts';

const events: readonly NotifiedEvent[] = notifiedEvents.filter((event: NotifiedEvent) => event.later === undefined);

/** The rule by which events go to channels, for those that there are: so that somebody sees what goes nowhere. */
export function EventsAndChannels({ channels }: { channels: Channel[] }) {
  if (channels.length === 0) return null;
  const columns: Column<NotifiedEvent>[] = [
    {
      label: 'Event',
      width: 'minmax(14rem, 2fr)',
      cell: (event) => (
        <>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            {event.name}
            {goesNowhere(event, channels) && <Badge tone="attention">goes nowhere</Badge>}
          </span>
          <span className="block text-soft text-sm">{eventWords[event.kind].name}</span>
        </>
      ),
    },
    ...headings(channels).map(({ label, channel }) => ({
      label: channel.enabled ? label : `${label}, disabled`,
      width: 'minmax(7rem, 1fr)',
      cell: (event: NotifiedEvent) => {
        const reach = reachOf(event, channel);
        return <span className={reach === 'nothing' ? '' : 'text-text'}>{reachWords[reach]}</span>;
      },
      phone: 'labelled' as const,
    })),
  ];
  return (
    <Section
      title="Which events go where"
      about="By the events that each channel gets, and a rule: chats get failures of production only, pagers have incidents of production and of clusters, and agent updates stay in the inbox."
    >
      <div className="overflow-x-auto">
        <div
          style={{ '--least': `${18 + channels.length * 8}rem` } as React.CSSProperties}
          className="sm:min-w-(--least)"
        >
          <Table
            label="Events and channels"
            pages={wholeList([...events], ({ name }) => name)}
            columns={columns}
            empty={null}
          />
        </div>
      </div>
    </Section>
  );
}

/** One for each channel. Two of the same label are told apart by their hints, then by their places in the list. */
function headings(channels: readonly Channel[]): { label: string; channel: Channel }[] {
  const same = (one: Channel) => channels.filter(({ label }) => label === one.label);
  return channels.map((channel, index) => {
    const others = same(channel);
    if (others.length === 1) return { label: channel.label, channel };
    const hinted = others.filter(({ hint }) => hint === channel.hint).length === 1;
    return { label: `${channel.label} (${hinted ? channel.hint : index + 1})`, channel };
  });
}
