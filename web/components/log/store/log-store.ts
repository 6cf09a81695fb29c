import { backOff } from '../../../../domain/back-off.ts';
import type { LogPosition, LogRow, RunEnd } from '../rows.ts';
import { type LogChannel, LogRefused, type LogSource } from '../source.ts';
import { MergedRows } from './merged-rows.ts';
import { breath, rest } from './rest.ts';
import { RunsSeen } from './runs-seen.ts';

export interface LogState {
  rows: readonly LogRow[];
  state: 'connecting' | 'following' | 'interrupted' | 'ended' | 'held';
  /** Reason of an interruption or of an end, as a sentence; may be empty. */
  why: string;
  /** All that is kept on the machine is in front of the reader. */
  isFirst: boolean;
  isReadingEarlier: boolean;
  /** Rows of this page that were dropped to make room. */
  dropped: number;
  /** Rows that came since the reader left the end. */
  fresh: number;
  hasRuns: boolean;
  failure: RunEnd | undefined;
}

/** So many rows are kept. More are read again when somebody scrolls there. */
export const mostRows = 200_000;
const firstRows = 1_000;
const earlierRows = 2_000;
const batchMillis = 100;
const sliceMillis = 10;
/** The stream beats every 5 seconds. */
const silentMillis = 16_000;
const workedMillis = 10_000;
const pauses = { first: 500, longest: 15_000 };

const nothing: LogState = {
  ...{ rows: [], state: 'connecting', why: '', isFirst: false, isReadingEarlier: false },
  ...{ dropped: 0, fresh: 0, hasRuns: false, failure: undefined },
};

/** The rows of a log, as far as they were read, across interruptions. A store for `useSyncExternalStore`. */
export class LogStore {
  readonly #source: LogSource;
  readonly #listeners = new Set<() => void>();
  readonly #merged = new MergedRows();
  readonly #runs = new RunsSeen();
  /** How far each channel was read; the ends of those that are complete. */
  readonly #places = new Map<string, LogPosition>();
  readonly #ended = new Set<string>();
  #channels: readonly LogChannel[] = [];
  #state: LogState = nothing;
  #over = new AbortController();
  #waiting: LogRow[] = [];
  #flush: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;
  /** Channels of which everything in front was read. */
  readonly #firsts = new Set<string>();

  constructor(source: LogSource) {
    this.#source = source;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly view = (): LogState => this.#state;

  /** Reads these channels. Others keep the rows that they have. */
  read(channels: readonly LogChannel[]): void {
    this.#channels = channels;
    this.#over.abort();
    this.#join();
    this.#over = new AbortController();
    const open = channels.filter(({ id, ended }) => !ended && !this.#ended.has(id));
    if (channels.length === 0) return;
    if (open.length === 0) this.#show({ state: 'ended', why: this.#state.why });
    else void this.#follow(open, this.#over.signal);
  }

  /** The channels that `openAt` begins to read. */
  expect(channels: readonly LogChannel[]): void {
    this.#channels = channels;
  }

  stop(): void {
    this.#over.abort();
    this.#join();
  }

  /** The reader is not at the end: nothing is dropped for what is new. */
  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    if (this.#state.fresh !== 0 && !isPaused) this.#show({ fresh: 0 });
    if (!isPaused && this.#state.state === 'held') this.toEnd();
  }

  /** Begins again with the last rows. */
  toEnd(): void {
    this.#reset();
    this.read(this.#channels);
  }

  /** Reads a channel around a place instead of what is there now, and follows from there. */
  async openAt(channel: string, place: LogPosition): Promise<void> {
    this.#reset();
    this.#isPaused = true;
    const { signal } = this.#over;
    this.#show({ isReadingEarlier: true });
    try {
      const { rows, isFirst } = await this.#source.before(channel, place, firstRows, signal);
      if (signal.aborted) return;
      this.#add(rows);
      this.#places.set(channel, place);
      if (isFirst) this.#firsts.add(channel);
      this.#show({ isReadingEarlier: false, isFirst: this.#isFirst() });
    } catch (error) {
      if (signal.aborted) return;
      this.#show({ isReadingEarlier: false, why: reason(error) });
    }
    this.read(this.#channels);
  }

  /** Reads what stands in front. Answers how many rows that were. */
  async readEarlier(): Promise<number> {
    if (this.#state.isReadingEarlier || this.#state.isFirst) return 0;
    this.#show({ isReadingEarlier: true });
    const { signal } = this.#over;
    try {
      const found: LogRow[] = [];
      for (const { id } of this.#channels) {
        if (this.#firsts.has(id)) continue;
        const first = this.#merged.rows.find(({ channel }) => channel === id);
        if (first === undefined) continue;
        const { rows, isFirst } = await this.#source.before(id, first.place, earlierRows, signal);
        const line = rows.findIndex(({ kind }) => kind !== 'end');
        found.push(...rows.slice(Math.max(0, line)));
        if (isFirst) this.#firsts.add(id);
      }
      found.sort((one, other) => one.at - other.at || 0);
      const count = this.#merged.prepend(found);
      const dropped = Math.max(0, this.#state.dropped - count);
      this.#show({ rows: this.#merged.rows, isReadingEarlier: false, isFirst: this.#isFirst(), dropped });
      return count;
    } catch (error) {
      this.#show({ isReadingEarlier: false, ...(signal.aborted ? {} : { why: reason(error) }) });
      return 0;
    }
  }

  #isFirst(): boolean {
    return this.#channels.every(
      ({ id }) => this.#firsts.has(id) || !this.#merged.rows.some((row) => row.channel === id),
    );
  }

  #reset(): void {
    this.#over.abort();
    this.#over = new AbortController();
    clearTimeout(this.#flush);
    this.#flush = undefined;
    this.#waiting = [];
    this.#merged.clear();
    this.#runs.forgetPlaces();
    this.#places.clear();
    this.#ended.clear();
    this.#firsts.clear();
    const { hasRuns, failure } = this.#state;
    this.#show({ ...nothing, hasRuns, failure });
  }

  async #follow(channels: readonly LogChannel[], over: AbortSignal): Promise<void> {
    for (let failures = 0; !over.aborted; ) {
      const opened = Date.now();
      const left = channels.filter(({ id }) => !this.#ended.has(id));
      const why = left.length === 0 ? '' : await this.#read(left, over);
      if (over.aborted) return;
      this.#join();
      if (channels.every(({ id }) => this.#ended.has(id))) {
        this.#show({ state: 'ended' });
        return;
      }
      failures = Date.now() - opened > workedMillis ? 1 : failures + 1;
      // The server ends streams after their maximum life, which is no interruption.
      if (why !== undefined || failures > 2) this.#show({ state: 'interrupted', why: why ?? '' });
      await rest(backOff(failures, pauses), over);
    }
  }

  /** One stream until it ends; why, if it was not its time. */
  async #read(channels: readonly LogChannel[], over: AbortSignal): Promise<string | undefined> {
    const silent = new AbortController();
    let heard = Date.now();
    let drawn = heard;
    const watch = setInterval(() => Date.now() - heard > silentMillis && silent.abort(), 2_000);
    const places = new Map(channels.map(({ id }) => [id, this.#places.get(id)]));
    const tail = Math.ceil(firstRows / channels.length);
    // Who has fewer lines than were asked for has no others.
    const lines = new Map(channels.filter(({ id }) => !this.#places.has(id)).map(({ id }) => [id, 0]));
    let beats = 0;
    const complete = (ids: Iterable<string>) => {
      for (const id of [...ids]) {
        if ((lines.get(id) ?? tail) < tail) this.#firsts.add(id);
        lines.delete(id);
      }
      this.#join();
      this.#show({ isFirst: this.#isFirst() });
    };
    try {
      for await (const news of this.#source.follow(places, tail, AbortSignal.any([over, silent.signal]))) {
        if (over.aborted) return undefined;
        heard = Date.now();
        if (heard - drawn > sliceMillis) {
          // A fast network never lets the page draw: lines that are there already come without a pause.
          await breath();
          drawn = Date.now();
        }
        if ('row' in news) {
          const { kind, channel } = news.row;
          const count = lines.get(channel);
          if (kind === 'line' && count !== undefined) lines.set(channel, count + 1);
          this.#take(news.row);
          beats = 0;
        } else if ('end' in news) {
          complete([news.end]);
          this.#ended.add(news.end);
          if (news.why !== '') this.#show({ why: news.why });
        } else {
          beats += 1;
          if (this.#state.state !== 'following') this.#show({ state: 'following', why: '' });
          // The agent has begun, and nothing has come for a whole interval.
          if (beats === 2) complete([...lines].flatMap(([id, count]) => (count > 0 ? [id] : [])));
        }
        if (this.#state.state === 'held') {
          this.#over.abort();
          return undefined;
        }
      }
      return undefined;
    } catch (error) {
      return error instanceof LogRefused ? error.message : '';
    } finally {
      clearInterval(watch);
      silent.abort();
    }
  }

  #take(row: LogRow): void {
    // Borders tell where the lines of a run end, which may be far in front of the reader.
    if (row.kind !== 'end') this.#places.set(row.channel, row.place);
    this.#waiting.push(row);
    this.#flush ??= setTimeout(() => this.#join(), batchMillis);
  }

  #join(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length === 0) return;
    const count = this.#add(rows);
    const excess = this.#merged.rows.length - mostRows;
    let { dropped } = this.#state;
    if (excess > 0 && !this.#isPaused) {
      dropped += excess + mostRows / 10;
      this.#merged.drop(excess + mostRows / 10);
      this.#firsts.clear();
    }
    const state = excess > 0 && this.#isPaused ? 'held' : 'following';
    const fresh = this.#isPaused ? this.#state.fresh + count : 0;
    this.#show({ rows: this.#merged.rows, state, why: '', dropped, fresh, isFirst: this.#isFirst() });
  }

  /** Borders in front of a channel's first line belong to lines that are not read. */
  #add(rows: readonly LogRow[]): number {
    let kept: LogRow[] = [];
    for (const row of rows) {
      const isFirst = row.kind === 'line' && !this.#runs.hasBegun(row.channel);
      if (isFirst) {
        this.#merged.dropBorders(row.channel);
        kept = kept.filter(({ channel, kind }) => channel !== row.channel || kind === 'missing');
      }
      if (this.#runs.follows(row)) kept.push(row);
    }
    const count = this.#merged.append(kept);
    this.#state = { ...this.#state, rows: this.#merged.rows, hasRuns: this.#runs.any, failure: this.#runs.failure };
    return count;
  }

  #show(change: Partial<LogState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function reason(error: unknown): string {
  return error instanceof LogRefused ? error.message : 'These lines could not be read; try again.';
}
