import { isDeepStrictEqual } from 'node:util';
import { type DeploymentView, findDeploymentsOf } from '../../db/deployments/deployments.ts';
import type { HeardHint } from '../../db/engine/feed/feed.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Hub } from '../engine/streams/hub.ts';
import type { Subscription } from '../engine/streams/subscription.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly progress: ProgressReaders;
  }
}

/** Between two reads: what happens meanwhile is told by one. */
const restMillis = 50;

/** `undefined`: there is no such deployment. */
type Read = DeploymentView | undefined;

type Reader = (read: Read) => void;

interface Watched {
  organizationId: string;
  id: string;
  readers: Set<Reader>;
  /** Those that have joined since the last read began. They are not told of it: what comes first is never older than they are. */
  joined: Set<Reader>;
  last: Read;
}

interface Parts {
  database: Database;
  hub: Hub;
  rereadMillis: number;
  onError: (error: unknown) => void;
}

/**
 * One per process: reads the deployments that streams follow, all of them in one query, every second and when a hint names
 * one of them. So the number of readers costs no query, and a change does not wait for the second to end.
 */
export class ProgressReaders {
  readonly #parts: Parts;
  readonly #watched = new Map<string, Watched>();
  readonly #hints = new Map<string, { subscription: Subscription; stop: AbortController; readers: number }>();
  #timer: NodeJS.Timeout | undefined;
  #reading = false;
  #readAt = 0;
  #again = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What is read of a deployment: first of all, and whenever it has changed, until the signal is aborted. */
  async *follow(organizationId: string, id: string, signal: AbortSignal): AsyncGenerator<Read, void, undefined> {
    let waiting: { read: Read } | undefined;
    let wake: () => void = () => undefined;
    const reader: Reader = (read) => {
      waiting = { read };
      wake();
    };
    const leave = this.#join(organizationId, id, reader);
    const end = () => wake();
    signal.addEventListener('abort', end, { once: true });
    try {
      while (!signal.aborted) {
        if (waiting === undefined) await new Promise<void>((resolve) => (wake = resolve));
        const one = waiting as { read: Read } | undefined;
        waiting = undefined;
        if (one !== undefined && !signal.aborted) yield one.read;
      }
    } finally {
      signal.removeEventListener('abort', end);
      leave();
    }
  }

  #join(organizationId: string, id: string, reader: Reader): () => void {
    const key = keyOf({ organizationId, id });
    const known = this.#watched.get(key);
    const watched = known ?? { organizationId, id, readers: new Set(), joined: new Set(), last: undefined };
    this.#watched.set(key, watched);
    watched.joined.add(reader);
    this.#listen(organizationId);
    this.#readSoon();
    return () => {
      watched.joined.delete(reader);
      watched.readers.delete(reader);
      if (watched.readers.size + watched.joined.size === 0 && this.#watched.get(key) === watched)
        this.#watched.delete(key);
      this.#listenLess(organizationId);
      if (this.#watched.size === 0) clearTimeout(this.#timer);
    };
  }

  #listen(organizationId: string): void {
    const known = this.#hints.get(organizationId);
    if (known !== undefined) {
      known.readers += 1;
      return;
    }
    const stop = new AbortController();
    const sees = ({ kind, id }: HeardHint) => kind === 'deployment' && this.#watched.has(keyOf({ organizationId, id }));
    const subscription = this.#parts.hub.subscribe({ organizationId, sees }, stop.signal);
    this.#hints.set(organizationId, { subscription, stop, readers: 1 });
    void (async () => {
      while ((await subscription.next()) !== undefined) this.#readSoon();
    })();
  }

  #listenLess(organizationId: string): void {
    const known = this.#hints.get(organizationId);
    if (known === undefined) return;
    known.readers -= 1;
    if (known.readers > 0) return;
    this.#hints.delete(organizationId);
    known.stop.abort();
  }

  /** As soon as the last read has ended and rested. */
  #readSoon(): void {
    if (this.#reading) this.#again = true;
    else this.#readIn(Math.max(0, this.#readAt + restMillis - performance.now()));
  }

  #readIn(millis: number): void {
    clearTimeout(this.#timer);
    if (this.#watched.size > 0) this.#timer = setTimeout(() => void this.#read(), millis);
  }

  async #read(): Promise<void> {
    this.#reading = true;
    this.#again = false;
    const asked = [...this.#watched.values()].map((watched) => ({ watched, joined: [...watched.joined] }));
    try {
      const found = await findDeploymentsOf(
        this.#parts.database.kysely,
        asked.map(({ watched }) => watched),
      );
      for (const { watched, joined } of asked) tell(watched, joined, found.get(keyOf(watched)));
    } catch (error) {
      // The streams stay open, and the next second asks again.
      this.#parts.onError(error);
    }
    this.#reading = false;
    this.#readAt = performance.now();
    if (this.#again) this.#readSoon();
    else this.#readIn(this.#parts.rereadMillis);
  }
}

function keyOf({ organizationId, id }: { organizationId: string; id: string }): string {
  return `${organizationId}/${id}`;
}

/** All readers hear of a change; otherwise only those that have heard nothing yet. */
function tell(watched: Watched, joined: readonly Reader[], read: Read): void {
  const changed = !isDeepStrictEqual(read, watched.last);
  watched.last = read;
  const still = joined.filter((reader) => watched.joined.delete(reader));
  const told = changed ? [...watched.readers, ...still] : still;
  for (const reader of still) watched.readers.add(reader);
  for (const reader of told) reader(read);
}
