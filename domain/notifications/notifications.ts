/** Kinds of notifications; channels subscribe to these. */
export const notificationKinds = ['approval', 'failure', 'warning', 'deploy'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** The subject of a notification, and so the page that it opens. */
export const linkTypes = ['approval', 'deployment', 'build', 'cluster', 'guard', 'volume_backup'] as const;

export interface NotificationLink {
  type: (typeof linkTypes)[number];
  approvalId?: string;
  buildId?: string;
  clusterId?: string;
  deploymentId?: string;
  environmentId?: string;
  /** Of the first page, which shows it. */
  guardLooseningId?: string;
  projectId?: string;
  serviceId?: string;
  volumeBackupId?: string;
  /** Of its subject's page, where that has tabs. */
  tab?: 'agent';
}

/** One event as people read it, wherever it is shown. */
export interface NotificationMessage {
  kind: NotificationKind;
  title: string;
  body: string;
  link: NotificationLink;
}

/** For so long an entry is kept, and of each person's inbox in an organization only so many of the newest. */
export const keptDays = 90;
export const mostKept = 1_000;

/** The inbox shows so many. */
export const inboxSize = 50;

export const channelKinds = ['chat_webhook', 'incident_pager'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The kinds that a channel hears of unless its owner says otherwise. */
export const defaultEvents: Readonly<Record<ChannelKind, readonly NotificationKind[]>> = {
  chat_webhook: notificationKinds,
  incident_pager: ['failure', 'warning'],
};

const routingKey = /^[A-Za-z0-9]{20,64}$/;

/** Why a text cannot be the routing key of a pager. */
export function routingKeyFault(secret: string): string | undefined {
  return routingKey.test(secret)
    ? undefined
    : 'must be the routing key of an integration: 20 to 64 letters and digits, nothing else';
}

/**
 * The part of a secret that everybody who sees the channel may see: the last characters of a routing key, and of a webhook's
 * address the host alone, since the rest of it is the password.
 */
export function hintOf(kind: ChannelKind, secret: string): string {
  return kind === 'incident_pager' ? `…${secret.slice(-4)}` : new URL(secret).host;
}

/** An event that people are told of, and the channels that it goes to if they have subscribed to its kind. */
export interface NotifiedEvent {
  name: string;
  kind: NotificationKind;
  /** Whether a chat gets it: `production`: only of an environment marked production. */
  chat: 'yes' | 'production' | 'no';
  /** Its effect on the incident of a pager. */
  pager: 'opens' | 'resolves' | 'no';
  /** For `resolves`: the kind of the event that opened the incident, whose subscription counts. */
  openedBy?: NotificationKind;
  /** Chats that have subscribed to this kind get it, too. */
  alsoOf?: NotificationKind;
  /** Something of it does not exist yet, so nothing raises it. */
  later?: true;
}

/** Every event there is, in the order of the documentation. */
export const notifiedEvents = [
  { name: 'An approval is requested', kind: 'approval', chat: 'yes', pager: 'no' },
  {
    name: 'An approval is passed by break-glass',
    ...{ kind: 'approval', alsoOf: 'failure', chat: 'yes', pager: 'no' },
  },
  {
    name: 'A guard of production is loosened',
    ...{ kind: 'approval', alsoOf: 'failure', chat: 'yes', pager: 'no' },
  },
  { name: 'A deployment fails', kind: 'failure', chat: 'production', pager: 'opens' },
  {
    name: 'A production deployment becomes healthy',
    ...{ kind: 'deploy', chat: 'yes', pager: 'resolves', openedBy: 'failure' },
  },
  {
    name: 'A build fails, or builds but cannot deploy',
    ...{ kind: 'failure', chat: 'production', pager: 'no' },
  },
  { name: 'A volume backup fails', kind: 'failure', chat: 'yes', pager: 'no' },
  { name: 'A cluster loses contact with its agent', kind: 'warning', chat: 'yes', pager: 'opens' },
  { name: 'A cluster reconnects', kind: 'warning', chat: 'no', pager: 'resolves', openedBy: 'warning' },
  { name: 'An agent update becomes available', kind: 'warning', chat: 'no', pager: 'no' },
  {
    name: 'A public domain certificate expires within 14 days',
    ...{ kind: 'warning', chat: 'yes', pager: 'no', later: true },
  },
] as const satisfies readonly NotifiedEvent[];

/** The effect of an event at one channel. A pager gets events of production only. */
export type Reach = 'message' | 'message of production' | 'opens' | 'opens for production' | 'resolves' | 'nothing';

export interface Subscribed {
  kind: ChannelKind;
  events: readonly NotificationKind[];
  enabled: boolean;
}

/** Whether a channel gets an event, by its own kind, by what it has subscribed to, and by the rule of the event. */
export function reachOf(event: NotifiedEvent, channel: Subscribed): Reach {
  const { kind, alsoOf = kind, chat, pager, openedBy = kind } = event;
  const isPager = channel.kind === 'incident_pager';
  if (!channel.enabled || !(isPager ? [openedBy] : [kind, alsoOf]).some((one) => channel.events.includes(one)))
    return 'nothing';
  if (isPager) {
    if (pager === 'opens') return chat === 'production' ? 'opens for production' : 'opens';
    return pager === 'resolves' ? 'resolves' : 'nothing';
  }
  if (chat === 'no') return 'nothing';
  return chat === 'production' ? 'message of production' : 'message';
}

/** Whether an event that some channel could tell of is told by none of these: the inbox alone has it. */
export function goesNowhere(event: NotifiedEvent, channels: readonly Subscribed[]): boolean {
  if (event.chat === 'no' && event.pager !== 'opens') return false;
  return channels.every((channel) => reachOf(event, channel) === 'nothing');
}
