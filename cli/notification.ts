import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { notificationSchema } from '../api/notifications/operations.ts';
import { consolePath } from '../domain/notifications/console-path.ts';
import type { NotificationLink } from '../domain/notifications/notifications.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { type AsPerson, asPerson, sessionOptions } from './engine/as-person.ts';
import { command, UsageError } from './engine/command.ts';
import { ofTheEnvironment } from './engine/credential.ts';
import { wholeNumberOf } from './engine/given.ts';
import { tellReaderGone, untilInterrupted } from './engine/interrupted.ts';
import { LostConnection, type Rest, RestRefusal } from './engine/rest.ts';
import { asTable, said } from './engine/table.ts';

type Notification = Omit<z.output<typeof notificationSchema>, 'link'> & { link: NotificationLink };

/** A page of it, newest first. */
interface InboxPage {
  items: Notification[];
  nextCursor?: string;
  unreadCount: number;
}

const inboxDetails = `An inbox belongs to a person, and an API token has none. So these commands take a session instead of a token: the value of
the cookie svc_session of a browser that is signed in, in a file that only you can read. It may do all that you may; end it on
the page of your account when it is not needed any more.`;

interface InboxOptions {
  organization?: string | undefined;
  'session-file'?: string | undefined;
  url?: string | undefined;
}

async function openInbox({ organization, 'session-file': given, url }: InboxOptions): Promise<AsPerson> {
  const file = given ?? ofTheEnvironment().sessionFile;
  if (file === undefined) {
    throw new Refusal(
      'An API token has no inbox: read it in the console, or give your session by --session-file or BALLAST_SESSION_FILE; see --help.',
    );
  }
  return await asPerson(file, { organization, url });
}

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
    const text = asTable(items, `There are no ${unread ? 'unread ' : ''}notifications.`, {
      at: 'createdAt',
      kind: 'kind',
      '': ({ readAt }) => (readAt === undefined ? 'unread' : ''),
      title: 'title',
      id: 'id',
    });
    return {
      json: { notifications: items, unreadCount },
      text,
      below: items.length > 0 ? `${unreadCount} unread.` : '',
    };
  },
});

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
    return { jsonLine: { unreadCount, updated }, text: `${updated} marked as read; ${unreadCount} unread.` };
  },
});

/**
 * Tells those entries of an inbox that it has not told before. By id and not by time alone: of two that come together, the
 * older one may be there later.
 */
class Unseen {
  readonly #seen = new Set<string>();
  /** Older entries were there before, on further pages than were read. */
  #since = '';

  /** Takes note of what is there already. */
  async begin(rest: Rest): Promise<void> {
    const { items, nextCursor } = await pageOf(rest, 200);
    if (nextCursor !== undefined) this.#since = items.at(-1)?.createdAt ?? '';
    for (const { id } of items) this.#seen.add(id);
  }

  /** The new ones, oldest first. */
  async next(rest: Rest): Promise<Notification[]> {
    const found: Notification[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await pageOf(rest, 50, cursor);
      const fresh = items.filter(({ id, createdAt }) => !this.#seen.has(id) && createdAt >= this.#since);
      found.push(...fresh);
      // A page that is new as a whole is not the last one of the new ones.
      cursor = fresh.length === items.length ? nextCursor : undefined;
    } while (cursor !== undefined);
    // Not before: a connection that is lost between two pages would lose what the first one told.
    for (const { id } of found) this.#seen.add(id);
    return found.toReversed();
  }
}

function pageOf(rest: Rest, limit: number, cursor?: string): Promise<InboxPage> {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
  return rest.call<InboxPage>('GET', `/notifications?${query}`);
}

/** Streams that end at once, one after the other, are not asked for more often than this. */
const againMillis = 1_000;

export const notificationWatch = command({
  summary: 'Prints each new notification as it comes, a line each',
  usage: '[--organization SLUG] [--session-file FILE] [--json]',
  details: `Ends with Ctrl-C. A control plane that goes away is waited for, and what came meanwhile is printed then. With --json, each
line is a document.

${inboxDetails}`,
  options: sessionOptions,
  run: async (given) => {
    const { signal } = untilInterrupted();
    const inbox = await openInbox(given);
    const rest = inbox.rest.until(signal);
    const unseen = new Unseen();
    try {
      await unseen.begin(rest);
      process.stderr.write('New notifications follow; Ctrl-C ends this.\n');
      await follow(rest, signal, async () => {
        for (const notification of await unseen.next(rest)) {
          process.stdout.write(given.json ? `${JSON.stringify(notification)}\n` : lineOf(notification, inbox));
        }
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    tellReaderGone();
  },
});

/** Looks whenever the inbox has changed, for as long as the signal lets. */
async function follow(rest: Rest, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      // Known before the inbox is read, so that nothing falls between that and the stream.
      const { position } = await rest.call('GET', '/auth/session');
      await look();
      const query = new URLSearchParams({ after: String(position) });
      for await (const { event, data } of rest.events(`/events/stream?${query}`, signal)) {
        if (event === 'resync' || data.kind === 'notification') await look();
      }
    } catch (error) {
      // A refusal with a status is an answer: the session has ended, say.
      if (signal.aborted || !(error instanceof RestRefusal) || error.status > 0) throw error;
      if (error instanceof LostConnection) process.stderr.write(`ballast: ${error.message}\n`);
    }
    await pause(againMillis, undefined, { signal });
  }
}

/** With the address that opens its subject in the console. */
function lineOf({ createdAt, kind, title, link }: Notification, { rest, slug }: AsPerson): string {
  return said`${createdAt}  ${kind.padEnd(8)}  ${title}  ${new URL(consolePath(slug, link), rest.url).href}\n`;
}
