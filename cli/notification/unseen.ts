import type { Rest } from '../engine/rest.ts';
import type { InboxPage, Notification } from './inbox.ts';

/**
 * Tells those entries of an inbox that it has not told before. By id and not by time alone: of two that come together, the
 * older one may be there later.
 */
export class Unseen {
  readonly #seen = new Set<string>();
  /** What is older was there before, on further pages than were read. */
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
