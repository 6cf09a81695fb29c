import { type BuildView, findBuild } from '../../db/builds/builds.ts';
import { readBuildLog } from '../../db/builds/log.ts';
import type { HeardHint } from '../../db/engine/feed/feed.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import type { Database } from '../../db/postgres/database.ts';
import { EventBatch } from '../engine/streams/frames.ts';
import type { Hub } from '../engine/streams/hub.ts';

/** Those that were asked for last stay, up to so many bytes of one log. */
const mostBytes = 4 * 1024 * 1024;

interface Kept<Value> {
  made: Promise<{ value: Value; bytes: number }>;
  bytes: number;
}

/** Pieces of one log by the line behind which they begin, made once for all that ask for them. They never change. */
class Batches<Value> {
  readonly #kept = new Map<number, Kept<Value>>();
  #bytes = 0;

  async get(after: number, make: () => Promise<{ value: Value; bytes: number }>): Promise<Value> {
    const known = this.#kept.get(after);
    const kept = known ?? { made: make(), bytes: 0 };
    // The last one that was asked for is the last to go.
    this.#kept.delete(after);
    this.#kept.set(after, kept);
    if (known !== undefined) return (await known.made).value;
    try {
      const { value, bytes } = await kept.made;
      // A piece that is empty has nothing yet: another may be made in its place.
      if (bytes === 0) this.#forget(after, kept);
      else {
        kept.bytes = bytes;
        this.#bytes += bytes;
        this.#forgetOldest();
      }
      return value;
    } catch (error) {
      this.#forget(after, kept);
      throw error;
    }
  }

  #forget(after: number, kept: Kept<Value>): void {
    if (this.#kept.get(after) !== kept) return;
    this.#kept.delete(after);
    this.#bytes -= kept.bytes;
  }

  #forgetOldest(): void {
    for (const [after, kept] of this.#kept) {
      if (this.#bytes <= mostBytes) return;
      // Without bytes it is being made.
      if (kept.bytes > 0) this.#forget(after, kept);
    }
  }
}

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly buildLogs: BuildLogs;
  }
}

/** Between two reads of a build: what is written meanwhile is told by one. */
const restMillis = 20;
/** Of the log at once: each has at most 64 kB. */
const mostChunks = 8;
const mostLines = 100_000;

type LogEvent = { event: 'log'; data: { at: string; seq: number; text: string }; id: string };

/** `undefined`: there is no such build. */
type Read = BuildView | undefined;

interface Watched {
  organizationId: string;
  id: string;
  /** How often it was read; the last time it was `read`. */
  reads: number;
  read: Read;
  readers: Set<() => void>;
  batches: Batches<EventBatch<LogEvent>>;
  leave(): void;
  timer: NodeJS.Timeout | undefined;
  reading: boolean;
  again: boolean;
  readAt: number;
}

interface Parts {
  database: Database;
  keyring: Pick<Keyring, 'decryptSecret'>;
  hub: Hub;
  rereadMillis: number;
  onError: (error: unknown) => undefined;
}

/**
 * One per process: reads the builds whose logs are followed, when one has more lines and every second, and each piece of a log once for all
 * that follow it. So the number of readers costs neither queries nor decrypting, and a line does not wait for a second to end.
 */
export class BuildLogs {
  readonly #parts: Parts;
  readonly #watched = new Map<string, Watched>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Its log has more lines: they were written by this process. */
  told(id: string): void {
    const watched = this.#watched.get(id);
    if (watched !== undefined) this.#readSoon(watched);
  }

  /**
   * Lines behind this one in the order of the log, until it is over and all is told. `sees`: whether the reader may see the build as it is
   * now.
   */
  async *follow(
    organizationId: string,
    id: string,
    after: number,
    sees: (build: BuildView) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<EventBatch<LogEvent>, void, undefined> {
    let wake: () => void = () => undefined;
    const woken = () => wake();
    const watched = this.#join(organizationId, id, woken);
    signal.addEventListener('abort', woken, { once: true });
    let [seen, last] = [0, after];
    try {
      while (!signal.aborted) {
        if (watched.reads === seen) {
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        seen = watched.reads;
        // Read before its lines: all of those from before its end are there by then.
        const build = watched.read;
        if (build === undefined || !sees(build)) return;
        while (last < build.logLines && !signal.aborted) {
          const batch = await this.#batch(watched, build, last).catch(this.#parts.onError);
          const data = batch?.events.at(-1)?.data;
          if (batch === undefined || data === undefined) break;
          yield batch;
          last = data.seq;
        }
        if (build.finishedAt !== null && last >= build.logLines) return;
      }
    } finally {
      signal.removeEventListener('abort', woken);
      this.#leave(watched, woken);
    }
  }

  #batch({ batches }: Watched, build: BuildView, after: number): Promise<EventBatch<LogEvent>> {
    return batches.get(after, async () => {
      const { database, keyring } = this.#parts;
      const lines = await readBuildLog(database.kysely, keyring, build, after, mostLines, mostChunks);
      const batch = new EventBatch(
        lines.map(({ at, seq, text }): LogEvent => {
          return { event: 'log', data: { at: at.toISOString(), seq, text }, id: String(seq) };
        }),
      );
      return { value: batch, bytes: batch.bytes.length };
    });
  }

  #join(organizationId: string, id: string, reader: () => void): Watched {
    const known = this.#watched.get(id);
    // Of another organization it is another one: nothing is shared with it.
    const watched = known?.organizationId === organizationId ? known : this.#watch(organizationId, id);
    watched.readers.add(reader);
    return watched;
  }

  #watch(organizationId: string, id: string): Watched {
    const stop = new AbortController();
    const sees = (hint: HeardHint) => hint.kind === 'build' && hint.id === id;
    const subscription = this.#parts.hub.subscribe({ organizationId, sees }, stop.signal);
    const watched: Watched = {
      ...{ organizationId, id, reads: 0, read: undefined, readers: new Set(), batches: new Batches() },
      ...{ timer: undefined, reading: false, again: false, readAt: 0, leave: () => stop.abort() },
    };
    if (!this.#watched.has(id)) this.#watched.set(id, watched);
    void (async () => {
      while ((await subscription.next()) !== undefined) this.#readSoon(watched);
    })();
    void this.#read(watched);
    return watched;
  }

  #leave(watched: Watched, reader: () => void): void {
    watched.readers.delete(reader);
    if (watched.readers.size > 0) return;
    if (this.#watched.get(watched.id) === watched) this.#watched.delete(watched.id);
    clearTimeout(watched.timer);
    watched.leave();
  }

  /** As soon as the last read has ended and rested. */
  #readSoon(watched: Watched): void {
    if (watched.reading) watched.again = true;
    else this.#readIn(watched, Math.max(0, watched.readAt + restMillis - performance.now()));
  }

  #readIn(watched: Watched, millis: number): void {
    clearTimeout(watched.timer);
    if (watched.readers.size > 0) watched.timer = setTimeout(() => void this.#read(watched), millis);
  }

  async #read(watched: Watched): Promise<void> {
    watched.reading = true;
    watched.again = false;
    const { database, onError, rereadMillis } = this.#parts;
    try {
      watched.read = await findBuild(database.kysely, watched.organizationId, watched.id);
      watched.reads += 1;
      for (const wake of watched.readers) wake();
    } catch (error) {
      // The streams stay open, and the next second asks again.
      onError(error);
    }
    watched.reading = false;
    watched.readAt = performance.now();
    if (watched.again) this.#readSoon(watched);
    else this.#readIn(watched, rereadMillis);
  }
}
