import type { ChannelKind, Reach } from '../../../domain/notifications/notifications.ts';
import { type NotificationKind, notificationKinds } from '../../../domain/notifications/notifications.ts';
import { incidentWords } from '../../../workflows/incident/words.ts';
import { notificationDeliveryWords } from '../../../workflows/notification-delivery/words.ts';
import { wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Channel = Answers['notificationChannels']['list']['items'][number];
export type Delivery = Answers['notificationChannels']['deliveries']['items'][number];

interface Word {
  word: string;
  tone: Tone;
}

const kindNames: Readonly<Record<string, string>> = {
  chat_webhook: 'Chat webhook',
  incident_pager: 'Incident pager',
} satisfies Record<ChannelKind, string>;

export const kindName = (kind: string): string => kindNames[kind] ?? kind;

/** The kinds of events, and what each is at a channel of a kind. */
export const eventWords: Record<NotificationKind, { name: string } & Record<ChannelKind, string>> = {
  approval: {
    name: 'Approvals',
    chat_webhook: 'An approval is requested.',
    incident_pager: 'Pages nobody.',
  },
  failure: {
    name: 'Failures',
    chat_webhook: 'A deployment in production fails.',
    incident_pager: 'A deployment in production fails: an incident, until the service is healthy there again.',
  },
  warning: {
    name: 'Warnings',
    chat_webhook: 'A cluster loses contact with its agent.',
    incident_pager: 'A cluster loses contact with its agent: an incident, until it reconnects.',
  },
  deploy: {
    name: 'Deployments',
    chat_webhook: 'A deployment in production becomes healthy.',
    incident_pager: 'Pages nobody. Incidents are resolved without it.',
  },
};

/** "Failures and warnings", as a channel gets them. */
export function eventsText(events: readonly string[]): string {
  if (notificationKinds.every((kind) => events.includes(kind))) return 'All events';
  const known: Readonly<Record<string, { name: string }>> = eventWords;
  const names = events.map((kind, index) => {
    const name = known[kind]?.name ?? kind;
    return index === 0 ? name : name.toLowerCase();
  });
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

type State = Pick<Channel, 'enabled' | 'failing' | 'lastError' | 'lastDeliveredAt'>;

/** Whether messages arrive: by the last attempt, and by those that wait for their next one. */
export function stateOf({ enabled, failing, lastError, lastDeliveredAt }: State): Word {
  if (!enabled) return { word: 'Disabled', tone: 'neutral' };
  if (failing || lastError !== '') return { word: 'Failing', tone: 'fault' };
  if (lastDeliveredAt !== undefined) return { word: 'Working', tone: 'good' };
  return { word: 'Not tested yet', tone: 'neutral' };
}

/** "3 messages wait", of those that are on their way. */
export function pendingText(pending: number): string {
  return pending === 1 ? '1 message waits' : `${pending} messages wait`;
}

const queued: Readonly<Record<string, Word>> = { queued: { word: 'Queued', tone: 'neutral' } };

/** The words of its actor; before that has begun it is queued. */
export function deliveryState({ kind, state }: Pick<Delivery, 'kind' | 'state'>): Word {
  const { states } = kind === 'incident' ? incidentWords : notificationDeliveryWords;
  return wordsOf({ ...states, ...queued }, state);
}

export const reachWords: Readonly<Record<Reach, string>> = {
  message: 'Yes',
  'message of production': 'In production',
  opens: 'Opens an incident',
  'opens for production': 'Opens an incident, in production',
  resolves: 'Resolves the incident',
  nothing: 'No',
};
