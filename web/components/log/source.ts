import type { LogPosition, LogRow } from './rows.ts';

/** One log among those that a view merges: an instance, a build, a service. */
export interface LogChannel {
  id: string;
  /** The set that it belongs to: the process of an instance. */
  group: string;
  /** Nothing is added any more. */
  ended: boolean;
}

export interface Piece {
  rows: LogRow[];
  /** There is nothing in front of these rows. */
  isFirst: boolean;
}

/** `alive`: connected, and nothing was written. `end`: of one channel; `why` is empty if it is complete. */
export type LogNews = { row: LogRow } | { alive: true } | { end: string; why: string };

/** All that the log view needs to know of where a log comes from. */
export interface LogSource {
  /** For a downloaded file. */
  name: string;
  /**
   * Rows of each channel behind its place, or its last `tail` ones where there is none, and then as they are written.
   * Ends when its stream does; throws `LogRefused` with the reason.
   */
  follow(
    channels: ReadonlyMap<string, LogPosition | undefined>,
    tail: number,
    signal: AbortSignal,
  ): AsyncGenerator<LogNews, void, undefined>;
  /** The last so many rows of a channel up to the place, with the row that ends there. */
  before(channel: string, place: LogPosition, count: number, signal: AbortSignal): Promise<Piece>;
}

export class LogRefused extends Error {}
