import { useEffect, useRef, useState } from 'react';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { DialogActions } from '../../components/dialogs/dialog.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { OperationForm } from '../../components/forms/operation/operation-form.tsx';
import { Notice, ProblemNotice } from '../../components/notice.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { channelFields } from './channel-fields.tsx';
import { type Channel, pendingText } from './channel-words.ts';

interface ChannelTestProps {
  channel: Channel;
  onClose: () => void;
}

/** Tests a channel at once and says how that went. After a failure it can be mended here, tested again, or deleted. */
export function ChannelTest({ channel: given, onClose }: ChannelTestProps) {
  const { trpc } = usePlane();
  const [channel, setChannel] = useState(given);
  const [delivered, setDelivered] = useState<boolean>();
  const [editing, setEditing] = useState(false);
  const deleting = useDialog<Channel>();
  const { id, label } = channel;
  const test = useOperation(trpc.notificationChannels.test, {
    failed: `${label} could not be tested`,
    succeeded: (answer) => (answer.delivered ? `The test of ${label} was delivered` : `The test of ${label} failed`),
    quiet: true,
    done: (answer) => {
      setChannel(answer.channel);
      setDelivered(answer.delivered);
    },
  });
  const send = () => {
    setDelivered(undefined);
    test.send({ path: { id } });
  };
  const begin = useRef(send);
  useEffect(() => begin.current(), []);

  if (editing) {
    return (
      <OperationForm
        operation={trpc.notificationChannels.update}
        path={{ id }}
        current={currentOf(channel)}
        fields={channelFields(channel)}
        submit="Save and test again"
        succeeded={(saved) => `${saved.label} saved`}
        onCancel={() => setEditing(false)}
        done={(saved) => {
          setChannel(saved);
          setEditing(false);
          send();
        }}
      />
    );
  }
  const failed = delivered === false || test.problem !== undefined;
  return (
    <div className="flex flex-col gap-4">
      <Outcome channel={channel} delivered={delivered} sending={test.sending} />
      <ProblemNotice problem={test.problem} />
      <DialogActions>
        {failed && (
          <>
            <Button look="danger" onClick={() => deleting.show(channel)}>
              Delete
            </Button>
            <Button onClick={() => setEditing(true)}>Edit</Button>
            <Button onClick={send}>Test again</Button>
          </>
        )}
        <Button look="strong" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
      {deleting.about !== undefined &&
        deleteChannel(trpc, deleting.about, onClose).dialog({ open: deleting.open, onClose: deleting.close })}
    </div>
  );
}

const delivers: Record<Channel['kind'], { sending: string; done: string }> = {
  chat_webhook: { sending: 'a message', done: 'The chat accepted the message: look for it there.' },
  incident_pager: {
    sending: 'a change event, which pages nobody,',
    done: 'The pager accepted a change event, which pages nobody: look for it at the service.',
  },
};

function Outcome(of: { channel: Channel; delivered: boolean | undefined; sending: boolean }) {
  const { kind, hint, lastError } = of.channel;
  const words = delivers[kind];
  if (of.delivered === undefined) {
    return of.sending ? (
      <div role="status">
        <Notice tone="live">{`Sending ${words.sending} to ${hint}…`}</Notice>
      </div>
    ) : null;
  }
  if (of.delivered) {
    return (
      <Notice tone="good" title="Delivered">
        {words.done}
      </Notice>
    );
  }
  return (
    <Notice tone="fault" title="The test did not arrive">
      {lastError}
    </Notice>
  );
}

/** The impact stands in the question: what is on its way never arrives. */
export const deleteChannel = (trpc: Plane['trpc'], channel: Channel, done?: () => void) =>
  deleteAction({
    noun: 'channel',
    name: channel.label,
    operation: trpc.notificationChannels.delete,
    path: { id: channel.id },
    done,
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
