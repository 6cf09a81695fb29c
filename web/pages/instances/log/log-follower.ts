import { backOff } from '../../../../domain/back-off.ts';
import { countOf, type Kept, mostLines, nothingKept, withLines, withLinesInstead } from './kept-lines.ts';
import { type LogLine, type LogNews, type LogStart, readLog, type WhichLog } from './read-log.ts';

export interface LogView extends Kept {
  state: 'connecting' | 'following' | 'interrupted' | 'ended';
  /** Reason of an interruption or end, as a sentence; may be empty. */
  why: string;
  /** There may be older lines than these. */
  more: boolean;
}

const firstLines = 1_000;
/** The view changes at most ten times a second, however much is written. */
const batchMillis = 100;
/** The stream beats every 5 seconds. */
const silentMillis = 16_000;
/** Earlier lines are gathered for this long, until the last displayed one is among them. */
const gatherMillis = 10_000;
/** A stream that lasted this long counts as healthy. */
const workedMillis = 10_000;
const pauses = { first: 500, longest: 15_000 };

/** Relation of new lines to kept ones: they follow, or replace them. */
type Joining = 'after' | 'instead';

/** Reads an instance's log as long as it is shown, across interruptions. A store for `useSyncExternalStore`. */
export class LogFollower {
  readonly #which: WhichLog;
  readonly #listeners = new Set<() => void>();
  #view: LogView = { ...nothingKept, state: 'connecting', why: '', more: false };
  #over = new AbortController();
  #earlier = false;
  #waiting: LogLine[] = [];
  #joining: Joining = 'after';
  /** The place behind the last line that came. */
  #after: string | undefined;
  /** The place behind the last line that was displayed when earlier ones were asked for. */
  #displayed: string | undefined;
  #opened = 0;
  #heard = 0;
  #flush: ReturnType<typeof setTimeout> | undefined;

  constructor(which: WhichLog) {
    this.#which = which;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly view = (): LogView => this.#view;

  start(): void {
    this.stop();
    this.#over = new AbortController();
    void this.#follow(this.#over.signal);
  }

  stop(): void {
    this.#over.abort();
    this.#settle(false);
  }

  /** Reads the log again, with as many older lines as can be kept. */
  readEarlier(): void {
    this.stop();
    this.#earlier = true;
    this.#joining = 'instead';
    this.#displayed = this.#after;
    this.start();
  }

  async #follow(over: AbortSignal): Promise<void> {
    for (let failures = 0; !over.aborted; ) {
      this.#opened = Date.now();
      const end = await this.#read(this.#start(), over);
      if (over.aborted) return;
      this.#settle(end.say === 'end');
      if (end.say === 'end' && end.why === '') {
        this.#show({ ...this.#view, state: 'ended', why: '' });
        return;
      }
      failures = Date.now() - this.#opened > workedMillis ? 1 : failures + 1;
      // The server ends streams after their maximum life, which is no interruption.
      if (end.say !== 'alive' || failures > 2) this.#show({ ...this.#view, state: 'interrupted', why: end.why });
      await rest(backOff(failures, pauses), over);
    }
  }

  /** One stream until it ends, and how: `alive` if its time was over. */
  async #read(start: LogStart, over: AbortSignal): Promise<{ say: LogNews['say']; why: string }> {
    const silent = new AbortController();
    this.#heard = Date.now();
    const watch = setInterval(() => Date.now() - this.#heard > silentMillis && silent.abort(), 2_000);
    try {
      for await (const news of readLog(this.#which, start, AbortSignal.any([over, silent.signal]))) {
        if (over.aborted) break;
        this.#heard = Date.now();
        if (news.say === 'end' || news.say === 'refused') return news;
        if (news.say === 'line') this.#take(news);
        else if (news.say === 'alive' && this.#view.state !== 'following') this.#show({ ...this.#view, ...inOrder });
      }
      return { say: 'alive', why: '' };
    } catch {
      return { say: 'refused', why: '' };
    } finally {
      clearInterval(watch);
      silent.abort();
    }
  }

  #start(): LogStart {
    if (this.#joining === 'instead') return { tail: mostLines };
    return this.#after === undefined ? { tail: firstLines } : { after: this.#after };
  }

  #take({ line, after }: { line: LogLine; after: string }): void {
    this.#after = after;
    this.#waiting.push(line);
    if (this.#waiting.length > 2 * mostLines) this.#waiting = this.#waiting.slice(-mostLines);
    this.#flush ??= setTimeout(() => this.#batch(), batchMillis);
  }

  #batch(): void {
    this.#flush = undefined;
    const patient = Date.now() - this.#opened < gatherMillis;
    if (patient && !this.#belongs()) this.#flush = setTimeout(() => this.#batch(), batchMillis);
    else this.#join();
  }

  #join(): void {
    const join = { after: withLines, instead: withLinesInstead }[this.#joining];
    const kept = join(this.#view, this.#waiting);
    this.#joining = 'after';
    this.#waiting = [];
    const more = !this.#earlier && !kept.dropped && countOf(kept.blocks) >= firstLines;
    this.#show({ ...kept, ...inOrder, more });
  }

  /** Waiting lines are shown at once, unless the next read repeats them. */
  #settle(all: boolean): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    if (this.#waiting.length > 0 && (all || this.#belongs())) this.#join();
    this.#waiting = [];
  }

  /** Whether the waiting lines follow what is displayed, or reach to its end. */
  #belongs(): boolean {
    return this.#joining === 'after' || isBehind(this.#after, this.#displayed);
  }

  #show(view: LogView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}

/** Places name a position in each stream. */
function isBehind(place = '0.0', other = '0.0'): boolean {
  const [positions, others] = [place, other].map((text) => text.split('.').map(Number));
  return positions?.every((position, stream) => position >= (others?.[stream] ?? 0)) ?? false;
}

const inOrder = { state: 'following', why: '' } as const;

function rest(milliseconds: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    over.addEventListener('abort', done);
    if (over.aborted) done();
  });
}
