/** A position in a log, as its source writes it. Means the same for ever. */
export type LogPosition = string;

export type Stream = 'stdout' | 'stderr';

interface Row {
  /** The same whenever it is read, and unique in the view. */
  id: string;
  channel: string;
  /** Behind the row. */
  place: LogPosition;
  /** In milliseconds. */
  at: number;
}

export interface Line extends Row {
  kind: 'line';
  stream: Stream;
  /** Without escape codes; control characters are replaced. */
  text: string;
  /** As it was written, where that differs. */
  raw?: string;
  run?: number;
  /** Of a log that numbers its lines. */
  number?: number;
}

/** The border behind a run. */
export interface RunEnd extends Row {
  kind: 'end';
  run: number;
  startedAt?: number;
  code?: number;
  signal?: string;
  outOfMemory?: true;
}

export interface Missing extends Row {
  kind: 'missing';
  stream: Stream;
  from: number;
  to: number;
}

export type LogRow = Line | RunEnd | Missing;

export function hasFailed(row: LogRow): row is RunEnd {
  return row.kind === 'end' && (row.signal !== undefined || (row.code !== undefined && row.code !== 0));
}
