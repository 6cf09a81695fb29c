import { backOff } from '../../domain/back-off.ts';
import { type Hint, readEvents, StreamRefused } from './event-stream.ts';

export interface StreamListener {
  change(hint: Hint): void;
  /** Displayed data may be stale: refetch all of it. */
  resync(): void;
  /** The stream lives: it was opened, or a heartbeat came. */
  alive(): void;
  /** The control plane refuses the stream: perhaps nobody is signed in any more, or is no member any more. */
  refused(): void;
}

const tickMillis = 1_000;
/** Heartbeats come every 2 seconds: a stream silent for this long is dead, even if the network reported nothing. */
const deadTicks = 8;
const suspectTicks = 5;
const openingTicks = 10;
/** A stream that lived this long counts as healthy: it is reopened without a pause. */
const steadyMillis = 10_000;
const pauses = { first: 500, longest: 8_000 };

/** An organization's event stream, opened again whenever it ends, with a back-off, until `end` is called. */
export class HeldStream {
  readonly #organizationId: string;
  readonly #listener: StreamListener;
  readonly #watch: ReturnType<typeof setInterval>;
  /** Of the first stream: what it tells need not be asked for again. */
  #after: string | undefined;
  #attempt = new AbortController();
  #ended = false;
  #connected = false;
  #startedAt = Date.now();
  /** Counted instead of timed: a tab that is held still hears nothing and ticks as little. */
  #silentTicks = 0;
  #endPause: (() => void) | undefined;

  constructor(organizationId: string, after: string | undefined, listener: StreamListener) {
    this.#organizationId = organizationId;
    this.#after = after;
    this.#listener = listener;
    this.#watch = setInterval(() => {
      if (this.#endPause === undefined) this.#silentTicks += 1;
      if (this.#silentTicks >= (this.#connected ? deadTicks : openingTicks)) this.#attempt.abort();
    }, tickMillis);
    void this.#hold();
  }

  /** Somebody looks again, or misses a sign of life: a suspect stream is reopened, and a running pause is cut short. */
  check(): void {
    if (this.#silentTicks >= suspectTicks) this.#attempt.abort();
    this.#endPause?.();
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#watch);
    this.#attempt.abort();
    this.#endPause?.();
  }

  async #hold(): Promise<void> {
    for (let failures = 0; !this.#ended; ) {
      const held = await this.#attemptOnce();
      if (this.#ended) return;
      this.#connected = false;
      failures = held > steadyMillis ? 0 : failures + 1;
      if (failures > 0) await this.#pause(backOff(failures, pauses) * (0.7 + Math.random() * 0.3));
    }
  }

  /** How long it held. */
  async #attemptOnce(): Promise<number> {
    this.#attempt = new AbortController();
    this.#startedAt = Date.now();
    this.#silentTicks = 0;
    const after = this.#after;
    try {
      for await (const event of readEvents(this.#organizationId, after, this.#attempt.signal)) {
        if (this.#ended) break;
        this.#silentTicks = 0;
        if (event.event === 'change') this.#listener.change(event.hint);
        else if (event.event === 'resync') this.#listener.resync();
        else if (event.event === 'open') {
          this.#connected = true;
          this.#listener.alive();
          this.#after = undefined;
          // Without a position nothing is replayed, so earlier changes are found by a refetch.
          if (after === undefined) this.#listener.resync();
        } else this.#listener.alive();
      }
    } catch (error) {
      const refused = error instanceof StreamRefused && error.status >= 400 && error.status < 500;
      if (refused && error.status !== 429 && !this.#ended) this.#listener.refused();
    }
    return this.#connected ? Date.now() - this.#startedAt : 0;
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#endPause?.(), milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        this.#endPause = undefined;
        resolve();
      };
    });
  }
}
