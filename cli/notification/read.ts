import { sessionOptions } from '../engine/as-person.ts';
import { command, UsageError } from '../engine/command.ts';
import { inboxDetails, openInbox } from './inbox.ts';

export const notificationRead = command({
  summary: 'Marks notifications as read',
  usage: 'ID … | --all [--organization SLUG] [--session-file FILE] [--json]',
  details: inboxDetails,
  words: { least: 0, most: 200 },
  options: { all: { type: 'boolean', what: 'All that you have not read.' }, ...sessionOptions },
  run: async ({ all = false, ...given }, ids) => {
    if (all === ids.length > 0) {
      throw new UsageError('Say which ones by their ids, as `./ballast notification list` shows them, or --all.');
    }
    const { rest } = await openInbox(given);
    const body = all ? { all } : { ids };
    const told = await rest.call<{ unreadCount: number; updated: number }>('POST', '/notifications/read', body);
    const { unreadCount, updated } = told;
    if (given.json) process.stdout.write(`${JSON.stringify({ unreadCount, updated })}\n`);
    else process.stdout.write(`${updated} marked as read; ${unreadCount} unread.\n`);
  },
});
