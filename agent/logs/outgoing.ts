import {
  type LogBatch,
  type LogCursor,
  type LogGap,
  type LogRun,
  type LogStream,
  largestBatch,
  mostRuns,
} from '../../protocol/logs.ts';
import type { LogLines } from '../drivers/driver.ts';

const mostChunks = 1_000;
const mostMarks = 10_000;

interface Draft {
  stream: LogStream;
  position: number;
  next: number;
  at: number;
  marks: [offset: number, position: number, at: number][];
  parts: Buffer[];
  size: number;
}

interface DraftBatch {
  from: LogCursor;
  to: LogCursor;
  chunks: (Draft | LogGap)[];
  runs?: LogRun[];
  size: number;
  marks: number;
}

/**
 * Lines of a log on their way into batches: neighbours of one stream become one chunk. The first batch may have none: an
 * application may write nothing for hours, and its reader hears that the log was begun.
 */
export class Outgoing {
  readonly #batches: DraftBatch[];
  #cursor: LogCursor;

  constructor(begin: LogCursor) {
    this.#cursor = { ...begin };
    this.#batches = [emptyAt(begin)];
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#batches.reduce((sum, { size }) => sum + size, 0);
  }

  get cursor(): LogCursor {
    return { ...this.#cursor };
  }

  add(found: LogLines | LogGap): void {
    const size = 'bytes' in found ? found.bytes.length : 0;
    const batch = this.#batchFor(size);
    if ('missing' in found) {
      batch.chunks.push(found);
      this.#cursor[found.stream] = found.missing.to;
    } else {
      append(batch, found);
      this.#cursor[found.stream] = found.next;
    }
    batch.size += size;
    batch.to = { ...this.#cursor };
  }

  /** Runs go with the lines that follow, or with those that wait. */
  tell(runs: LogRun[]): void {
    const batch = this.#batchFor(0);
    batch.runs = [...(batch.runs ?? []), ...runs].slice(-mostRuns);
  }

  take(): LogBatch | undefined {
    const batch = this.#batches.shift();
    if (batch === undefined) return undefined;
    const { from, to, chunks, runs } = batch;
    return { from, to, chunks: chunks.map(sent), ...(runs === undefined ? {} : { runs }) };
  }

  #batchFor(size: number): DraftBatch {
    const last = this.#batches.at(-1);
    const full =
      last === undefined ||
      last.size + size > largestBatch ||
      last.chunks.length >= mostChunks ||
      last.marks >= mostMarks;
    if (!full) return last;
    const batch = emptyAt(this.#cursor);
    this.#batches.push(batch);
    return batch;
  }
}

function emptyAt(cursor: LogCursor): DraftBatch {
  return { from: { ...cursor }, to: { ...cursor }, chunks: [], size: 0, marks: 0 };
}

function append(batch: DraftBatch, { stream, position, next, at, bytes }: LogLines): void {
  const last = batch.chunks.at(-1);
  const time = at.getTime();
  if (last === undefined || 'missing' in last || last.stream !== stream) {
    batch.chunks.push({ stream, position, next, at: time, marks: [], parts: [bytes], size: bytes.length });
    return;
  }
  const [offset, marked, then] = last.marks.at(-1) ?? [0, last.position, last.at];
  if (marked + last.size - offset !== position || then !== time) {
    last.marks.push([last.size, position, time]);
    batch.marks += 1;
  }
  last.parts.push(bytes);
  last.size += bytes.length;
  last.next = next;
}

function sent(chunk: Draft | LogGap): LogBatch['chunks'][number] {
  if ('missing' in chunk) return chunk;
  const { stream, position, next, at, marks, parts } = chunk;
  const data = Buffer.concat(parts).toString('base64');
  return { stream, position, next, at, ...(marks.length === 0 ? {} : { marks }), data };
}
