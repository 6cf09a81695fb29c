import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { ChannelState, useChannels } from './channel-state.tsx';
import { type Channel, eventsText, kindName, stateOf } from './channel-words.ts';
import { EventsAndChannels } from './events-and-channels.tsx';
import { addChannel, testChannel, useChannelActions, useRetry } from './use-channel-actions.tsx';

/** Ways out of Ballast for notifications, and which events take them. */
export function ChannelList() {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const pages = useChannels();
  const retry = useRetry();
  const others = useChannelActions();
  return (
    <ListPage
      about="Where notifications go besides the inbox: to a chat, or to whoever is on call."
      pages={pages}
      columns={columns}
      name={({ label }) => label}
      link={({ id }) => ({
        to: '/$organization/notification-channels/$channel',
        params: { organization, channel: id },
      })}
      actions={(channel) => [testChannel(channel), ...retry(channel), ...others(channel)]}
      make={addChannel(trpc)}
      makeIn="add"
      empty={{
        title: 'No channels yet',
        text: 'Until there is one, a deployment that fails in production or a cluster that is lost is told to whoever looks at the inbox, and to nobody else. A chat tells the team; a pager wakes the person on call.',
      }}
      beneath={pages.items !== undefined && <EventsAndChannels channels={pages.items} />}
    />
  );
}

const columns: Column<Channel>[] = [
  {
    label: 'Channel',
    cell: ({ label, kind, hint }) => (
      <>
        <span className="font-medium">{label}</span>
        <span className="block text-soft text-sm">
          {kindName(kind)} · {hint}
        </span>
      </>
    ),
    sort: ({ label }) => label,
  },
  { label: 'Gets', cell: ({ events }) => eventsText(events), width: 'minmax(0, 1.5fr)', phone: 'labelled' },
  {
    label: 'State',
    cell: (channel) => <ChannelState channel={channel} />,
    sort: (channel) => stateOf(channel).word,
    width: 'minmax(0, 2.5fr)',
  },
];
