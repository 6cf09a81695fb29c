import { setTimeout as pause } from 'node:timers/promises';
import { LiveInbox } from '../../../test/inboxes/live-inbox.ts';
import { answerReports } from '../../engine/clients.ts';

export interface Members {
  url: string;
  /** The headers of each member's session, by the person's id. */
  headers: Record<string, Record<string, string>>;
}

export interface SeenByMembers {
  inboxes: Record<string, { unreadCount: number; newest: string[]; hints: number[] }>;
  failures: string[];
}

/** Consoles of members: a stream each, and the inbox fetched at each hint. */
async function main({ url, headers }: Members): Promise<void> {
  const live = Object.entries(headers).map(([id, own]): [string, LiveInbox] => [id, new LiveInbox(url, own)]);
  while (live.some(([, one]) => one.unreadCount < 0 && one.failure === undefined)) await pause(20);
  answerReports(
    (): SeenByMembers => ({
      inboxes: Object.fromEntries(
        live.map(([id, { unreadCount, newest, hints }]) => [
          id,
          { unreadCount, newest: newest.map((entry) => entry.id), hints },
        ]),
      ),
      failures: live.flatMap(([id, { failure }]) => (failure === undefined ? [] : [`${id}: ${failure}`])),
    }),
  );
}

await main(JSON.parse(process.argv[2] ?? '{}'));
