import type { z } from 'zod';
import type { notificationChannelSchema } from '../../api/notification-channels/notification-channel.ts';
import type { ChannelKind } from '../../domain/notifications/channels.ts';
import { notificationKinds } from '../../domain/notifications/notifications.ts';
import { UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export type Channel = z.output<typeof notificationChannelSchema>;

export const channels = '/notification-channels';

/** The kinds as people type them. */
export const kinds = { chat: 'chat_webhook', pager: 'incident_pager' } as const satisfies Record<string, ChannelKind>;
export type Kind = keyof typeof kinds;

export function kindOf({ kind }: Channel): Kind {
  return kind === kinds.pager ? 'pager' : 'chat';
}

export function readKind(text: string | undefined): Kind {
  const found = (Object.keys(kinds) as Kind[]).find((kind) => kind === text);
  if (found !== undefined) return found;
  throw new UsageError(`--kind must be one of ${Object.keys(kinds).join(', ')}.`);
}

export function readEvents(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const events = text.split(',').map((event) => event.trim());
  const unknown = events.find((event) => !notificationKinds.some((kind) => kind === event));
  if (unknown === undefined) return events;
  throw new UsageError(
    `--events has "${printable(unknown)}": it must be some of ${notificationKinds.join(', ')}, with commas between them.`,
  );
}

export async function listChannels(rest: Rest): Promise<Channel[]> {
  return (await rest.call<{ items: Channel[] }>('GET', channels)).items;
}

/** The channel of this id or this label. Never guessed: a message would go to somebody else. */
export async function namedChannel(rest: Rest, name: string): Promise<Channel> {
  const all = await listChannels(rest);
  const byId = all.find(({ id }) => id === name.toLowerCase());
  if (byId !== undefined) return byId;
  const [found, ...others] = all.filter(({ label }) => label === name);
  if (found === undefined) {
    const labels = all.map(({ label }) => printable(label)).join(', ') || 'none';
    throw new UsageError(`There is no notification channel "${printable(name)}"; there is: ${labels}.`);
  }
  if (others.length === 0) return found;
  const lines = [found, ...others].map((channel) => `  ${channel.id}  ${kindOf(channel)} ${channel.hint}`);
  throw new UsageError(
    `Several notification channels are called "${printable(name)}"; name one by its id:\n${lines.join('\n')}`,
  );
}

/** Whether messages arrive: by the last attempt, and by those that wait for their next one. */
export function stateOf({ enabled, failing, lastError, lastDeliveredAt }: Channel): string {
  if (!enabled) return 'disabled';
  if (failing || lastError !== '') return 'failing';
  return lastDeliveredAt === undefined ? 'not tested yet' : 'working';
}

/** The word that names this channel in a command that somebody is told to type. */
export function wordOf({ id, label }: Channel): string {
  return /^[\w.][\w.-]*$/.test(label) ? label : id;
}

export function messagesText(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}
