import type { LogReaderRow } from '../../db/logs/log-readers.ts';
import { linesOf } from '../../protocol/log-lines.ts';
import {
  type LogBatch,
  type LogChunk,
  type LogCursor,
  type LogRun,
  type LogStream,
  logStreams,
} from '../../protocol/logs.ts';

interface Border {
  at: LogCursor;
  run: LogRun;
}

/** Puts the begins and ends of runs between the lines of a log: an agent tells them in any order with those lines. */
class RunBorders {
  readonly #begun = new Set<number>();
  readonly #ended = new Set<number>();
  #ahead: Border[] = [];
  /** The run that the last border began. */
  current: number | undefined;

  take(runs: readonly LogRun[]): void {
    for (const told of runs) {
      const { exit, to, ...run } = told;
      if (!this.#begun.has(run.run)) this.#ahead.push({ at: run.from, run });
      this.#begun.add(run.run);
      if (exit === undefined || to === undefined || this.#ended.has(run.run)) continue;
      this.#ahead.push({ at: to, run: told });
      this.#ended.add(run.run);
    }
    this.#ahead.sort((one, other) => one.run.run - other.run.run || phase(one) - phase(other));
  }

  /** Borders in front of a line. */
  before(stream: LogStream, position: number): LogRun[] {
    return this.#upTo(({ at }) => at[stream] <= position);
  }

  /** Borders in front of everything that is still to be read. */
  passed(cursor: LogCursor): LogRun[] {
    return this.#upTo(({ at }) => logStreams.every((stream) => at[stream] <= cursor[stream]));
  }

  #upTo(isPassed: (border: Border) => boolean): LogRun[] {
    const count = this.#ahead.findLastIndex(isPassed) + 1;
    const passed = this.#ahead.splice(0, count).map(({ run }) => run);
    this.current = passed.findLast(({ exit }) => exit === undefined)?.run ?? this.current;
    return passed;
  }
}

function phase({ run }: Border): number {
  return run.exit === undefined ? 0 : 1;
}

export interface LogLine {
  stream: LogStream;
  position: number;
  text: string;
  at: Date;
  /** The run that wrote it, where that is known. */
  run?: number;
}

/** A line, a gap, or the begin or end of a run for a reader, and how far it has read with it. */
export type LogTold = { cursor: LogCursor } & (
  | { line: LogLine }
  | { missing: { stream: LogStream; from: number; to: number } }
  | { run: LogRun }
);

export interface LogRange {
  from?: LogCursor | undefined;
  tail?: number | undefined;
  /** Where to end; nothing is followed then. */
  to?: LogCursor | undefined;
  follow: boolean;
}

/** So much may wait for a reader that is behind. */
const roomBytes = 1024 * 1024;

/** One that reads the log of an instance in this process. Takes batches from the agent, and gives lines. */
export class LogReader {
  readonly #row: Omit<LogReaderRow, 'wanted'>;
  readonly #wanted: LogRange;
  readonly #waiting: LogBatch[] = [];
  #size = 0;
  #cursor: LogCursor | undefined;
  readonly #borders = new RunBorders();
  #hasRuns = false;
  #broken = false;
  #closed = false;
  #wake: () => void = () => {};
  readonly #forRoom = new Set<() => void>();

  constructor(row: Omit<LogReaderRow, 'wanted'>, wanted: LogRange) {
    this.#row = row;
    this.#wanted = wanted;
    this.#cursor = wanted.from;
  }

  get id(): string {
    return this.#row.id;
  }

  get cluster(): LogReaderRow['cluster'] {
    return this.#row.cluster;
  }

  /** For the agent, as of now: it begins behind what was read already. */
  get row(): LogReaderRow {
    const { tail, to, follow } = this.#wanted;
    const end = to === undefined ? {} : { to };
    const start = this.#cursor === undefined ? (tail === undefined ? {} : { tail }) : { from: { ...this.#cursor } };
    return { ...this.#row, wanted: { ...start, ...end, follow } };
  }

  get hasRoom(): boolean {
    return this.#size < roomBytes;
  }

  /** Resolves once there is room, the time is over or the reader has left. */
  async room(milliseconds: number): Promise<boolean> {
    if (this.hasRoom || this.#closed) return this.hasRoom;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#forRoom.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.#forRoom.add(done);
    });
    return this.hasRoom;
  }

  take(batch: LogBatch): void {
    if (this.#closed) return;
    this.#waiting.push(batch);
    this.#size += sizeOf(batch);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
    for (const done of [...this.#forRoom]) done();
  }

  /**
   * Lines and gaps as they come, then why it ended. `broken`: something between was lost on the way, and is there when
   * the log is read again from the last cursor. `silent`: the agent did not begin in time.
   */
  async *read(
    beginMillis: number,
    signal: AbortSignal,
  ): AsyncGenerator<LogTold, { message: string } | 'broken' | 'silent' | 'closed' | 'old', undefined> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, beginMillis);
    try {
      while (!this.#closed && !signal.aborted) {
        const batch = this.#waiting.shift();
        if (batch === undefined) {
          if (late) return 'silent';
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          continue;
        }
        clearTimeout(timer);
        // An agent that knows of runs knows of the end, too; others would send the whole log.
        this.#hasRuns ||= batch.runs !== undefined;
        if (this.#wanted.to !== undefined && !this.#hasRuns) return 'old';
        yield* this.#told(batch);
        this.#size -= sizeOf(batch);
        for (const done of [...this.#forRoom]) done();
        if (this.#broken) return 'broken';
        if (batch.end !== undefined) return { message: batch.end.message ?? '' };
      }
      return 'closed';
    } finally {
      clearTimeout(timer);
    }
  }

  *#told({ from, to, chunks, runs = [] }: LogBatch): Generator<LogTold, void, undefined> {
    const cursor = this.#cursor ?? { ...from };
    this.#cursor = cursor;
    if (logStreams.some((stream) => from[stream] > cursor[stream])) {
      this.#broken = true;
      return;
    }
    this.#borders.take(runs);
    for (const run of this.#borders.passed(cursor)) yield { cursor, run };
    for (const chunk of chunks) {
      if ('missing' in chunk) {
        const gap = {
          stream: chunk.stream,
          from: Math.max(chunk.missing.from, cursor[chunk.stream]),
          to: chunk.missing.to,
        };
        if (gap.to <= gap.from) continue;
        cursor[gap.stream] = gap.to;
        yield { cursor, missing: gap };
      } else {
        for (const line of linesIn(chunk)) {
          // Came before, from an agent that was started again since.
          if (line.position < cursor[chunk.stream]) continue;
          for (const run of this.#borders.before(chunk.stream, line.position)) yield { cursor, run };
          cursor[chunk.stream] = line.next;
          const { position } = line;
          const of = this.#borders.current;
          const said = { stream: chunk.stream, position, text: line.bytes.toString('utf8'), at: new Date(line.at) };
          yield { cursor, line: of === undefined ? said : { ...said, run: of } };
        }
      }
    }
    for (const stream of logStreams) cursor[stream] = Math.max(cursor[stream], to[stream]);
    for (const run of this.#borders.passed(cursor)) yield { cursor, run };
  }
}

function linesIn({ data, ...chunk }: LogChunk) {
  return linesOf({ ...chunk, bytes: Buffer.from(data, 'base64') });
}

function sizeOf({ chunks }: LogBatch): number {
  return chunks.reduce((sum, chunk) => sum + ('data' in chunk ? chunk.data.length : 100), 100);
}

/** A cursor as people pass it on: the id of an event, and `after` of a request. */
export function cursorText({ stdout, stderr }: LogCursor): string {
  return `${stdout}.${stderr}`;
}

export function cursorOf(text: string): LogCursor {
  const [stdout = 0, stderr = 0] = text.split('.').map(Number);
  return { stdout, stderr };
}
