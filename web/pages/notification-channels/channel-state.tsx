import { Status } from '../../components/status.tsx';
import { BriefTime, Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import type { Sought } from '../../control-plane/by-slug.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { NotNamed } from '../../control-plane/problem.ts';
import { type Channel, pendingText, stateOf } from './channel-words.ts';

export function ChannelStatus({ channel }: { channel: Channel }) {
  const { word, tone } = stateOf(channel);
  return <Status tone={tone}>{word}</Status>;
}

/** The state, and why it is that one. */
export function ChannelState({ channel }: { channel: Channel }) {
  const { enabled, lastError, lastDeliveredAt } = channel;
  return (
    <>
      <span className="text-text">
        <ChannelStatus channel={channel} />
      </span>
      {enabled && lastError !== '' && (
        <span className="block text-pretty text-fault text-sm">
          <WithTimes text={lastError} />
        </span>
      )}
      <span className="block text-sm empty:hidden">
        <Waiting channel={channel} />
        {enabled && lastError === '' && lastDeliveredAt !== undefined && (
          <>
            Last delivered <Time at={lastDeliveredAt} />
          </>
        )}
      </span>
    </>
  );
}

/** How many messages wait, and until when; nothing where none is retried. */
export function Waiting({ channel: { failing, pending, nextAttemptAt } }: { channel: Channel }) {
  if (!failing) return null;
  return (
    <>
      {pendingText(pending)}.
      {nextAttemptAt !== undefined && (
        <>
          {' '}
          Next attempt at <BriefTime at={nextAttemptAt} />.
        </>
      )}
    </>
  );
}

/** All channels of the organization: they are few, and listed whole. */
export function useChannels() {
  return usePages(usePlane().trpc.notificationChannels.list);
}

const nothing = new NotNamed('No such channel.');

/** One of them. */
export function useChannel(id: string): Sought<Channel> {
  const { items, query } = useChannels();
  const data = items?.find((one) => one.id === id);
  const missing = items !== undefined && data === undefined;
  return {
    data,
    isError: query.isError || missing,
    error: missing ? nothing : query.error,
    refetch: query.refetch,
  };
}
