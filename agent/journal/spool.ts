import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputPiece, outputPiece } from '../../protocol/command.ts';

interface Segment {
  path: string;
  first: number;
  next: number;
  bytes: number;
}

const pieceBytes = 65_536;
const segmentBytes = 1024 * 1024;
const batchBytes = 512 * 1024;

/**
 * Output of a command, in numbered pieces on disk until they are acknowledged. Bounded: beyond the limit the oldest
 * pieces are dropped, and a piece in their place says so; or, where none may be missing, no more is taken.
 */
export class Spool {
  readonly #directory: string;
  readonly #limitBytes: number;
  readonly #beyond: 'drop' | 'refuse';
  readonly #segments: Segment[] = [];
  #next = 0;
  #acknowledged = -1;
  #dropped: OutputPiece | undefined;
  #file: number | undefined;

  constructor(directory: string, limitBytes = 64 * 1024 * 1024, beyond: 'drop' | 'refuse' = 'drop') {
    this.#directory = directory;
    this.#limitBytes = limitBytes;
    this.#beyond = beyond;
    for (const path of segmentFiles(directory)) {
      const pieces = readPieces(path);
      const [first, last] = [pieces[0], pieces.at(-1)];
      if (first === undefined || last === undefined) continue;
      const bytes = pieces.reduce((sum, { data }) => sum + data.length, 0);
      this.#segments.push({ path, first: first.number, next: last.number + 1, bytes });
      this.#next = Math.max(this.#next, last.number + 1);
    }
  }

  add(stream: OutputPiece['stream'], bytes: Buffer, at: Date = new Date()): void {
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      const data = bytes.subarray(from, from + pieceBytes).toString('base64');
      this.#append({ number: this.#next, stream, data, at: at.toISOString() });
    }
  }

  /** The next pieces to send, as many as go into one request. */
  batch(): OutputPiece[] {
    const batch: OutputPiece[] = [];
    let size = 0;
    const take = (piece: OutputPiece): boolean => {
      if (piece.number <= this.#acknowledged) return true;
      if (batch.length === 200 || (size > 0 && size + piece.data.length > batchBytes)) return false;
      size += piece.data.length;
      batch.push(piece);
      return true;
    };
    if (this.#dropped !== undefined) take(this.#dropped);
    for (const { path, next } of this.#segments) {
      if (next - 1 > this.#acknowledged && !readPieces(path).every(take)) break;
    }
    return batch;
  }

  acknowledge(number: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, number);
    if ((this.#dropped?.number ?? number) < number) this.#dropped = undefined;
    while ((this.#segments[0]?.next ?? Number.POSITIVE_INFINITY) <= this.#acknowledged + 1) this.#removeOldest();
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0 && (this.#dropped?.number ?? -1) <= this.#acknowledged;
  }

  sync(): void {
    if (this.#file !== undefined) fsyncSync(this.#file);
  }

  remove(): void {
    this.#close();
    this.#segments.length = 0;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #append(piece: OutputPiece): void {
    if (this.#beyond === 'refuse' && this.#size() + piece.data.length > this.#limitBytes)
      throw new SpoolFull(this.#limitBytes);
    const last = this.#segments.at(-1);
    const segment = last === undefined || this.#file === undefined || last.bytes > segmentBytes ? this.#begin() : last;
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(piece)}\n`);
    segment.next = piece.number + 1;
    segment.bytes += piece.data.length;
    this.#next = piece.number + 1;
    while (this.#segments.length > 1 && this.#size() > this.#limitBytes) this.#drop();
  }

  #begin(): Segment {
    this.#close();
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, `${String(this.#next).padStart(12, '0')}.jsonl`);
    this.#file = openSync(path, 'w', 0o600);
    const segment = { path, first: this.#next, next: this.#next, bytes: 0 };
    this.#segments.push(segment);
    return segment;
  }

  #size(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The piece that says so has the number of the last one that is missing. */
  #drop(): void {
    const oldest = this.#removeOldest();
    if (oldest === undefined || oldest.next - 1 <= this.#acknowledged) return;
    const text = 'Output is missing here: the control plane did not take it in time and there was too much of it.\n';
    const data = Buffer.from(text).toString('base64');
    this.#dropped = { number: oldest.next - 1, stream: 'progress', data };
  }

  #removeOldest(): Segment | undefined {
    const oldest = this.#segments.shift();
    if (oldest === undefined) return undefined;
    if (this.#segments.length === 0) this.#close();
    rmSync(oldest.path, { force: true });
    return oldest;
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

class SpoolFull extends Error {
  constructor(limitBytes: number) {
    super(
      `the control plane has not taken ${limitBytes / 1024 / 1024} MiB of it yet, and no more is kept; write less, or retry.`,
    );
  }
}

function segmentFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .sort()
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** A last line that is cut off was never acknowledged by anybody and is left out. */
function readPieces(path: string): OutputPiece[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [outputPiece.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
}
