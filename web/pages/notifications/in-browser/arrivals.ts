import type { Notification } from '../notification-words.tsx';

/** Tells what is new in an inbox from what was there before. */
export class Arrivals {
  #known: ReadonlySet<string> | undefined;

  /** Unread ones that were not in the inbox the last time, oldest first. The first time everything was there before. */
  look(newest: readonly Notification[]): Notification[] {
    const before = this.#known;
    this.#known = new Set([...(before ?? []), ...newest.map(({ id }) => id)]);
    if (before === undefined) return [];
    return newest.filter(({ id, readAt }) => readAt === undefined && !before.has(id)).toReversed();
  }
}

/** Many at once are one: nobody reads twenty, and the inbox has them all. */
export const mostAtOnce = 3;

export interface Showing {
  title: string;
  body: string;
  tag: string;
  /** The one that it leads to; without it, the inbox. */
  about?: Notification;
}

export function showingsOf(arrived: readonly Notification[]): Showing[] {
  if (arrived.length <= mostAtOnce) {
    return arrived.map((about) => ({ title: about.title, body: about.body, tag: about.id, about }));
  }
  const titles = arrived.slice(-mostAtOnce).map(({ title }) => title);
  const more = arrived.length - titles.length;
  const tag = arrived.map(({ id }) => id).join();
  return [{ title: `${arrived.length} new notifications`, body: [...titles, `and ${more} more`].join('\n'), tag }];
}
