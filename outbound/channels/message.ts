import type { NotificationKind } from '../../domain/notifications/notifications.ts';

/** One event, as a channel is told of it. */
export interface ChannelMessage {
  title: string;
  body: string;
  /** Leads into the console: absolute, https. */
  link: string;
  kind: NotificationKind;
}

/** The words of the link. */
export const linkText = 'Open in Ballast';

/** A title in one line. */
export function titleOf({ title }: ChannelMessage): string {
  return title.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
