import { sessionOptions } from '../engine/as-person.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { type InboxPage, inboxDetails, openInbox } from './inbox.ts';

export const notificationList = command({
  summary: 'Lists your notifications, newest first',
  usage: '[--unread] [--limit N] [--organization SLUG] [--session-file FILE] [--json]',
  details: inboxDetails,
  options: {
    unread: { type: 'boolean', what: 'Only those that you have not read.' },
    limit: { type: 'string', value: 'N', what: 'At most so many, up to 200; 50 by default.' },
    ...sessionOptions,
  },
  run: async ({ unread = false, limit, ...given }) => {
    const most = wholeNumberOf('--limit', limit, 1, 200) ?? 50;
    const { rest } = await openInbox(given);
    const query = new URLSearchParams({ unread: String(unread), limit: String(most) });
    const { items, unreadCount } = await rest.call<InboxPage>('GET', `/notifications?${query}`);
    if (given.json) {
      return void process.stdout.write(`${JSON.stringify({ notifications: items, unreadCount }, undefined, 2)}\n`);
    }
    if (items.length === 0) return void process.stdout.write(`There are no ${unread ? 'unread ' : ''}notifications.\n`);
    const rows = items.map(({ id, kind, title, createdAt, readAt }) => [
      ...[createdAt, kind, readAt === undefined ? 'unread' : ''],
      ...[printable(title), id],
    ]);
    process.stdout.write(asTable(['at', 'kind', '', 'title', 'id'], rows));
    process.stderr.write(`${unreadCount} unread.\n`);
  },
});
