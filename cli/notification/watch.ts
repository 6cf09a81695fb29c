import { setTimeout as pause } from 'node:timers/promises';
import { consolePath } from '../../domain/notifications/console-path.ts';
import { type AsPerson, sessionOptions } from '../engine/as-person.ts';
import { command } from '../engine/command.ts';
import { readerGone } from '../engine/interrupted.ts';
import { LostConnection, type Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { inboxDetails, type Notification, openInbox } from './inbox.ts';
import { Unseen } from './unseen.ts';

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
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    const signal = AbortSignal.any([stop.signal, readerGone.signal]);
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
    if (readerGone.signal.aborted) process.exitCode = 141;
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
  return `${createdAt}  ${kind.padEnd(8)}  ${printable(title)}  ${new URL(consolePath(slug, link), rest.url)}\n`;
}
