import {
  countOf,
  type Kept,
  mostLines,
  nothingKept,
  overlapEnd,
  withLines,
  withLinesAgain,
  withLinesInstead,
} from './kept-lines.ts';
import { type LogLine, type LogNews, readLog, type WhichLog } from './read-log.ts';

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
/** Repeated lines are gathered for this long, until the last displayed one is found among them. */
const gatherMillis = 10_000;
/** A stream that lasted this long counts as healthy. */
const workedMillis = 10_000;
const longestPause = 15_000;

/** Relation of new lines to kept ones: they follow, may repeat, or replace them. */
type Joining = 'after' | 'again' | 'instead';

/** Reads an instance's log as long as it is shown, across interruptions. A store for `useSyncExternalStore`. */
export class LogFollower {
  readonly #which: WhichLog;
  readonly #listeners = new Set<() => void>();
  #view: LogView = { ...nothingKept, state: 'connecting', why: '', more: false };
  #over = new AbortController();
  #earlier = false;
  #waiting: LogLine[] = [];
  #joining: Joining = 'after';
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
    this.start();
  }

  async #follow(over: AbortSignal): Promise<void> {
    for (let failures = 0; !over.aborted; ) {
      const tail = this.#tail();
      if (this.#joining !== 'instead') this.#joining = this.#view.blocks.length === 0 ? 'after' : 'again';
      this.#opened = Date.now();
      const end = await this.#read(tail, over);
      if (over.aborted) return;
      this.#settle(end.say === 'end');
      if (end.say === 'end' && end.why === '') {
        this.#show({ ...this.#view, state: 'ended', why: '' });
        return;
      }
      failures = Date.now() - this.#opened > workedMillis ? 1 : failures + 1;
      // The server ends streams after their maximum life, which is no interruption.
      if (end.say !== 'alive' || failures > 2) this.#show({ ...this.#view, state: 'interrupted', why: end.why });
      await rest(Math.min(250 * 2 ** failures, longestPause), over);
    }
  }

  /** One stream until it ends, and how: `alive` if its time was over. */
  async #read(tail: number, over: AbortSignal): Promise<{ say: LogNews['say']; why: string }> {
    const silent = new AbortController();
    this.#heard = Date.now();
    const watch = setInterval(() => Date.now() - this.#heard > silentMillis && silent.abort(), 2_000);
    try {
      for await (const news of readLog(this.#which, tail, AbortSignal.any([over, silent.signal]))) {
        if (over.aborted) break;
        this.#heard = Date.now();
        if (news.say === 'end' || news.say === 'refused') return news;
        if (news.say === 'line') this.#take(news.line);
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

  /** Number of last lines to request: after an interruption, an estimate of those written since. */
  #tail(): number {
    const { blocks, told } = this.#view;
    if (this.#joining === 'instead' || this.#earlier) return mostLines;
    if (blocks.length === 0) return firstLines;
    const perSecond = told / Math.max(1, (this.#heard - this.#opened) / 1_000);
    const seconds = (Date.now() - this.#heard) / 1_000 + 1;
    return Math.min(mostLines, Math.ceil(firstLines + 2 * perSecond * seconds));
  }

  #take(line: LogLine): void {
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
    const join = { after: withLines, again: withLinesAgain, instead: withLinesInstead }[this.#joining];
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

  /** Whether the place of the waiting lines is known. */
  #belongs(): boolean {
    return this.#joining === 'after' || overlapEnd(this.#view, this.#waiting) !== undefined;
  }

  #show(view: LogView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
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
