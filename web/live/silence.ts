/** Silence is told after this time: within five seconds, with what it takes to paint. */
export const silentMillis = 4_500;
/** How long the end of a silence stays told. */
const overMillis = 4_000;

/** One thing at a time is told: the first of these that is so. */
export type Silence = 'offline' | 'change unanswered' | 'unanswered' | 'out of contact';
type LinkState = Silence | 'connected again' | 'answered';

const isSilence = (told: LinkState | undefined): told is Silence =>
  told !== undefined && told !== 'connected again' && told !== 'answered';

export interface SilenceClock {
  set(callback: () => void, milliseconds: number): () => void;
}

const realClock: SilenceClock = {
  set: (callback, milliseconds) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Everything in this tab that waits for an answer, and what people are told of it. */
export class SilenceWatch {
  readonly #clock: SilenceClock;
  readonly #listeners = new Set<() => void>();
  readonly #late = new Map<symbol, 'change' | 'question'>();
  #offline = false;
  #still = false;
  #failing = false;
  #told: LinkState | undefined;
  /** Since this silence began, there was no contact at all; otherwise an answer was late. */
  #lost = false;
  #stopOver: () => void = () => undefined;

  constructor(clock: SilenceClock = realClock) {
    this.#clock = clock;
  }

  readonly told = (): LinkState | undefined => this.#told;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Tells of an answer that is late, until the returned function is called. */
  expect(kind: 'change' | 'question'): () => void {
    const one = Symbol(kind);
    const stop = this.#clock.set(() => {
      this.#late.set(one, kind);
      this.#tell();
    }, silentMillis);
    return () => {
      stop();
      if (this.#late.delete(one)) this.#tell();
    };
  }

  /** The same until a promise settles; hands its answer on. */
  async waiting<Answer>(kind: 'change' | 'question', answer: Promise<Answer>): Promise<Answer> {
    const settled = this.expect(kind);
    try {
      return await answer;
    } finally {
      settled();
    }
  }

  offline(offline: boolean): void {
    this.#offline = offline;
    this.#tell();
  }

  /** Whether the event stream has been still for longer than it should. */
  streamStill(still: boolean): void {
    this.#still = still;
    if (!still) this.#failing = false;
    this.#tell();
  }

  /** A request got no answer at all, or the first one that did since. */
  requestFailed(failed: boolean): void {
    if (this.#failing === failed) return;
    this.#failing = failed;
    this.#tell();
  }

  get failing(): boolean {
    return this.#failing;
  }

  #silence(): Silence | undefined {
    if (this.#offline) return 'offline';
    const late = [...this.#late.values()];
    if (late.includes('change')) return 'change unanswered';
    if (late.length > 0) return 'unanswered';
    return this.#still || this.#failing ? 'out of contact' : undefined;
  }

  #tell(): void {
    const now = this.#silence();
    if (now === 'offline' || now === 'out of contact') this.#lost = true;
    if (now === undefined && !isSilence(this.#told)) return;
    const told = now ?? (this.#lost ? 'connected again' : 'answered');
    if (told === this.#told) return;
    this.#told = told;
    this.#stopOver();
    if (now === undefined) {
      this.#lost = false;
      this.#stopOver = this.#clock.set(() => {
        this.#told = undefined;
        this.#inform();
      }, overMillis);
    }
    this.#inform();
  }

  #inform(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const silence = new SilenceWatch();
