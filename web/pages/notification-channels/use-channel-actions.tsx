import type { Action, DialogAction } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { dialogAction } from '../../components/actions/dialog-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { count } from '../audit-log/deed.ts';
import { channelFields, newChannel, newChannelFields } from './channel-fields.tsx';
import { ChannelTest, currentOf, deleteChannel } from './channel-test.tsx';
import { type Channel, pendingText } from './channel-words.ts';

/** Adds a channel and tests it at once: one that was mistyped is found before it is needed. */
export const addChannel = (trpc: Plane['trpc']) =>
  formAction({
    label: 'Add a channel',
    operation: trpc.notificationChannels.create,
    start: newChannel,
    fields: newChannelFields,
    submit: 'Add and test',
    succeeded: ({ label }) => `${label} added`,
    after: {
      title: ({ label }) => `${label} is added`,
      content: (added, close) => <ChannelTest channel={added} onClose={close} />,
    },
  });

export const testChannel = (channel: Channel): DialogAction =>
  dialogAction({
    label: 'Test',
    title: `Test ${channel.label}`,
    content: (close) => <ChannelTest channel={channel} onClose={close} />,
  });

/** Tries at once what waits, where anything does. */
export function useRetry(): (channel: Channel) => Action[] {
  const retry = useOperation(usePlane().trpc.notificationChannels.retry, {
    failed: 'The messages could not be retried',
    succeeded: ({ retried }) => (retried === 0 ? 'Nothing waits any more' : `Trying ${count(retried, 'message')} now`),
    elsewhere: true,
  });
  return ({ id, failing }) => (failing ? [{ label: 'Retry now', act: () => retry.send({ path: { id } }) }] : []);
}

/** All else that can be done to a channel, in the order of its menu. */
export function useChannelActions(onDeleted?: () => void): (channel: Channel) => Action[] {
  const { trpc } = usePlane();
  const enable = useOperation(trpc.notificationChannels.update, {
    failed: 'The channel could not be enabled',
    succeeded: ({ label }) => `${label} enabled`,
  });
  return (channel) => [
    formAction({
      label: 'Edit',
      operation: trpc.notificationChannels.update,
      path: { id: channel.id },
      current: currentOf(channel),
      fields: channelFields(channel),
      title: `Edit ${channel.label}`,
      submit: 'Save',
      succeeded: ({ label }) => `${label} saved`,
    }),
    channel.enabled
      ? disable(trpc, channel)
      : { label: 'Enable', act: () => enable.send({ path: { id: channel.id }, body: { enabled: true } }) },
    deleteChannel(trpc, channel, onDeleted),
  ];
}

const disable = (trpc: Plane['trpc'], { id, label, pending }: Channel) =>
  confirmAction({
    label: 'Disable',
    operation: trpc.notificationChannels.update,
    path: { id },
    body: { enabled: false },
    confirm: 'Disable channel',
    text: (
      <>
        {label} gets nothing until it is enabled again, and what happens meanwhile is never sent to it.
        {pending > 0 && ` ${pendingText(pending)} and will be dropped.`}
      </>
    ),
    succeeded: `${label} disabled`,
  });
