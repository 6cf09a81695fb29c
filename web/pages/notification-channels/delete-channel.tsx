import { deleteAction } from '../../components/actions/delete-action.tsx';
import type { Plane } from '../../control-plane/plane.ts';
import { type Channel, pendingText } from './channel-words.ts';

/** The impact stands in the question: what is on its way never arrives. */
export const deleteChannel = (trpc: Plane['trpc'], channel: Channel, done?: () => void) =>
  deleteAction({
    noun: 'channel',
    name: channel.label,
    operation: trpc.notificationChannels.delete,
    path: { id: channel.id },
    ...(done === undefined ? {} : { done }),
    consequences: (
      <>
        {channel.pending > 0 && <strong>{pendingText(channel.pending)} and will be dropped. </strong>}
        {channel.kind === 'incident_pager'
          ? 'Its open incidents stay open at the pager: nobody tells it when they are resolved. '
          : 'It gets no more messages. '}
        Its secret is erased. This cannot be undone.
      </>
    ),
  });

/** As its form begins: the secret is not known here, and a blank one keeps it. */
export function currentOf({ label, events }: Channel) {
  return { label, events, secret: '' };
}
