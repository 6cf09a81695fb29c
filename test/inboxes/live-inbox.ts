import { frames } from '../../web/live/event-stream.ts';

interface Entry {
  id: string;
  title: string;
}

/** What one member's console shows of the inbox: fetched when the stream opens and at each hint, and never else. */
export class LiveInbox {
  /** When each hint came, by `performance.now()`. */
  readonly hints: number[] = [];
  unreadCount = -1;
  newest: Entry[] = [];
  /** Why it shows nothing any more. */
  failure: unknown;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #leaving = new AbortController();
  #fetching = false;
  #again = false;

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
    this.#follow().catch((error: unknown) => {
      if (!this.#leaving.signal.aborted) this.failure = error;
    });
  }

  close(): void {
    this.#leaving.abort();
  }

  async #follow(): Promise<void> {
    const answer = await this.#ask('/api/v1/events/stream');
    if (answer.body === null) throw new Error('The event stream has no body.');
    for await (const { event, comment, data } of frames(answer.body)) {
      if (comment?.startsWith('refused:')) throw new Error(comment);
      const isHint = event === 'change' && JSON.parse(data).kind === 'notification';
      if (isHint) this.hints.push(performance.now());
      if (isHint || event === 'resync' || comment === 'open') {
        this.#fetch().catch((error: unknown) => {
          if (!this.#leaving.signal.aborted) this.failure = error;
        });
      }
    }
    throw new Error('The event stream ended.');
  }

  /** One at a time; a hint that comes meanwhile has it fetched once more. */
  async #fetch(): Promise<void> {
    this.#again = true;
    if (this.#fetching) return;
    this.#fetching = true;
    while (this.#again) {
      this.#again = false;
      const answer = await this.#ask('/api/v1/notifications?limit=50');
      const { items, unreadCount } = (await answer.json()) as { items: Entry[]; unreadCount: number };
      this.newest = items.map(({ id, title }) => ({ id, title }));
      this.unreadCount = unreadCount;
    }
    this.#fetching = false;
  }

  async #ask(path: string): Promise<Response> {
    const answer = await fetch(`${this.#url}${path}`, { headers: this.#headers, signal: this.#leaving.signal });
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}.`);
    return answer;
  }
}
