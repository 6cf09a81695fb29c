import type { ChannelKind } from '../../../domain/notifications/notifications.ts';
import {
  defaultEvents,
  type NotificationKind,
  notificationKinds,
} from '../../../domain/notifications/notifications.ts';
import { Checkbox, TextField } from '../../components/forms/form.tsx';
import type { FieldIn, FieldsOf, Some } from '../../components/forms/operation/fields.ts';
import { asSentence } from '../../components/forms/operation/values.ts';
import { eventWords, kindName } from './channel-words.ts';

interface Common {
  label: string;
  events: NotificationKind[];
  secret: string;
}
type NewChannel = Common & { kind: ChannelKind };

export const newChannel: Some<NewChannel> = { kind: 'chat_webhook' };

export const newChannelFields: FieldsOf<NewChannel> = {
  kind: {
    label: 'Kind',
    choices: [
      {
        value: 'chat_webhook',
        label: kindName('chat_webhook'),
        hint: 'Writes a message: Slack, Mattermost, Rocket.Chat, Discord and others that take the format of Slack.',
      },
      {
        value: 'incident_pager',
        label: kindName('incident_pager'),
        hint: 'Opens an incident and resolves it: PagerDuty, and others that take its Events API v2.',
      },
    ],
  },
  label: { label: 'Label', hint: 'The name of the room or of the team that is told.' },
  secret: { control: (field) => <Secret {...field} kind={kindOf(field.values)} /> },
  events: {
    follows: (values) => [...defaultEvents[kindOf(values)]],
    control: (field) => <Events {...field} kind={kindOf(field.values)} />,
  },
};

/** Of a channel that exists, whose kind stays. */
export function channelFields({ kind, hint }: { kind: ChannelKind; hint: string }): FieldsOf<Common> {
  return {
    label: { label: 'Label' },
    secret: { control: (field) => <Secret {...field} kind={kind} kept={hint} /> },
    events: { control: (field) => <Events {...field} kind={kind} /> },
  };
}

function kindOf({ kind = 'chat_webhook' }: Some<{ kind: ChannelKind }>): ChannelKind {
  return kind;
}

const secrets: Record<ChannelKind, { label: string; hint: string }> = {
  chat_webhook: {
    label: 'Webhook address',
    hint: 'Of an incoming webhook. Slack: an app with Incoming Webhooks. Mattermost and Rocket.Chat: an incoming webhook of the integrations. Discord: a webhook of the channel, with /slack at the end.',
  },
  incident_pager: {
    label: 'Routing key',
    hint: 'PagerDuty: the integration key of an integration “Events API v2” of the service.',
  },
};

/** The place of a secret, of which nothing is shown but what was typed just now. `kept`: what is known of the current one. */
function Secret<Body>({
  value = '',
  onChange,
  kind,
  kept,
}: FieldIn<string, Body> & { kind: ChannelKind; kept?: string }) {
  const { label, hint } = secrets[kind];
  return (
    <TextField
      name="secret"
      type="password"
      mono
      label={label}
      hint={
        kept === undefined
          ? `${hint} It is stored encrypted and never shown.`
          : `Leave blank to keep the current one (${kept}). ${hint}`
      }
      value={value}
      onChange={onChange}
      required={kept === undefined}
      maxLength={2_000}
    />
  );
}

function Events<Body>({
  value = [],
  onChange,
  errors,
  kind,
}: FieldIn<NotificationKind[], Body> & { kind: ChannelKind }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5">
      <legend className="mb-1.5 font-medium text-sm">Events</legend>
      {notificationKinds.map((event) => (
        <Checkbox
          key={event}
          label={eventWords[event].name}
          hint={eventWords[event][kind]}
          checked={value.includes(event)}
          onChange={(checked) =>
            onChange(notificationKinds.filter((one) => (one === event ? checked : value.includes(one))))
          }
        />
      ))}
      {errors.map(([place, message]) => (
        <p key={place} role="alert" className="text-fault text-sm">
          {asSentence(message)}
        </p>
      ))}
    </fieldset>
  );
}
