import { backOff } from '../../domain/back-off.ts';
import { type Hint, readEvents, StreamRefused } from './event-stream.ts';

export interface StreamListener {
  change(hint: Hint): void;
  /** Displayed data may be stale: refetch all of it. */
  resync(): void;
  connected(connected: boolean): void;
  /** The control plane refuses the stream: perhaps nobody is signed in any more, or is no member any more. */
  refused(): void;
}

/** Heartbeats come every 15 seconds: a stream silent for this long is dead, even if the network reported nothing. */
const deadMillis = 35_000;
const suspectMillis = 18_000;
const openingMillis = 10_000;
/** A stream that lived this long counts as healthy: it is reopened without a pause. */
const steadyMillis = 10_000;
const pauses = { first: 500, longest: 8_000 };

/** An organization's event stream, opened again whenever it ends, with a back-off, until `end` is called. */
export class HeldStream {
  readonly #organizationId: string;
  readonly #listener: StreamListener;
  readonly #watch: ReturnType<typeof setInterval>;
  #attempt = new AbortController();
  #ended = false;
  #connected = false;
  #startedAt = Date.now();
  #heardAt = Date.now();
  #endPause: (() => void) | undefined;

  constructor(organizationId: string, listener: StreamListener) {
    this.#organizationId = organizationId;
    this.#listener = listener;
    this.#watch = setInterval(() => {
      if (this.#silence() > (this.#connected ? deadMillis : openingMillis)) this.#attempt.abort();
    }, 2_000);
    void this.#hold();
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** The tab woke from sleep: a suspect stream is reopened, and a running pause is cut short. */
  check(): void {
    if (this.#silence() > suspectMillis) this.#attempt.abort();
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
      this.#listener.connected(false);
      failures = held > steadyMillis ? 0 : failures + 1;
      if (failures > 0) await this.#pause(backOff(failures, pauses) * (0.7 + Math.random() * 0.3));
    }
  }

  /** How long it held. */
  async #attemptOnce(): Promise<number> {
    this.#attempt = new AbortController();
    this.#startedAt = this.#heardAt = Date.now();
    try {
      for await (const event of readEvents(this.#organizationId, this.#attempt.signal)) {
        if (this.#ended) break;
        this.#heardAt = Date.now();
        if (event.event === 'change') this.#listener.change(event.hint);
        else if (event.event === 'resync') this.#listener.resync();
        else if (event.event === 'open') {
          this.#connected = true;
          this.#listener.connected(true);
          // The stream replays nothing, so earlier changes are found by a refetch.
          this.#listener.resync();
        }
      }
    } catch (error) {
      const refused = error instanceof StreamRefused && error.status >= 400 && error.status < 500;
      if (refused && error.status !== 429 && !this.#ended) this.#listener.refused();
    }
    return this.#connected ? Date.now() - this.#startedAt : 0;
  }

  #silence(): number {
    return this.#endPause === undefined ? Date.now() - this.#heardAt : 0;
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
