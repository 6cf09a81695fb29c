import { Status } from '../../components/status.tsx';
import { BriefTime, Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
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
