import { execFile } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { writeFileAtomically } from '../../../../machine/files.ts';
import { LogTimes } from './log-times.ts';

const run = promisify(execFile);
const block = 65_536;
/** A process owns its log, so it can make it look as long as it likes. */
const farthest = 256 * 1024 * 1024;
/** A line that is longer is told in pieces of this size. */
export const longestLine = 65_536;

export interface Piece {
  position: number;
  at: Date;
  bytes: Buffer;
  /** Not ended by a line break, and not for its length either: more may follow. */
  unfinished: boolean;
}

/**
 * One stream of an instance, appended to by its processes. Offsets in it are positions for ever: what is too old is not
 * cut off but freed, as a hole at the front, so that nobody who writes or reads has to be told and no byte is lost.
 */
export class LogFile {
  readonly path: string;
  readonly #times: LogTimes;

  constructor(path: string) {
    this.path = path;
    this.#times = new LogTimes(`${path}.times`);
  }

  get size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Where it begins: what is before was freed, or is too much to read for whoever wants to know the end. */
  get start(): number {
    const file = `${this.path}.start`;
    const freed = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    return Math.max(freed, this.size - farthest);
  }

  /** Notes that what is there now was written by now. */
  look(): number {
    const { size } = this;
    this.#times.note(size);
    return size;
  }

  /** Whether there is a line break at a position. */
  breaksAt(position: number): boolean {
    return this.#read(position, 1)[0] === 10;
  }

  /** Ends a line that a run has left unfinished, so that the next one begins on its own. */
  finishLine(): void {
    const { size } = this;
    if (size > 0 && !this.breaksAt(size - 1)) appendFileSync(this.path, '\n');
  }

  /** The pieces between two positions; those at the end may be unfinished. */
  *pieces(from: number, to: number): Generator<Piece, void, undefined> {
    let carry = Buffer.alloc(0);
    let position = from;
    for (let at = from; at < to; ) {
      const read = this.#read(at, Math.min(block, to - at));
      if (read.length === 0) break;
      // Freed while it was read: go on where it begins now.
      const { start } = this;
      if (position < start) {
        position = start;
        at = start;
        carry = Buffer.alloc(0);
        continue;
      }
      at += read.length;
      carry = Buffer.concat([carry, read]);
      for (;;) {
        const end = carry.subarray(0, longestLine + 1).indexOf(10);
        if (end === -1 && carry.length <= longestLine) break;
        const length = end === -1 ? longestLine : end;
        yield this.#piece(position, carry.subarray(0, length), false);
        const taken = end === -1 ? length : length + 1;
        carry = carry.subarray(taken);
        position += taken;
      }
    }
    if (carry.length > 0) yield this.#piece(position, carry, true);
  }

  #piece(position: number, bytes: Buffer, unfinished: boolean): Piece {
    return { position, at: this.#times.at(position), bytes, unfinished };
  }

  /** Where the last so many pieces before a position begin, and how many there are. */
  last(count: number, to: number): { from: number; count: number } {
    const { start } = this;
    let [from, found, end, lineEnd] = [to, 0, to, to];
    const take = (lineStart: number) => {
      const length = lineEnd - lineStart;
      const pieces = Math.max(1, Math.ceil(length / longestLine));
      const taken = Math.min(pieces, count - found);
      found += taken;
      from = lineStart + (pieces - taken) * longestLine;
    };
    while (found < count && end > start) {
      const begin = Math.max(start, end - block);
      const bytes = this.#read(begin, end - begin);
      for (let index = bytes.length - 1; index >= 0 && found < count; index -= 1) {
        const offset = begin + index;
        if (bytes[index] !== 10) continue;
        if (offset + 1 < to) take(offset + 1);
        lineEnd = offset;
      }
      end = begin;
    }
    if (found < count && to > start) take(start);
    return { from, count: found };
  }

  /** Frees what is older than the newest half of the limit, once there is more than the limit. */
  async rotate(limit: number, fallocate: string): Promise<void> {
    const { size, start } = this;
    if (size - start <= limit) return;
    const oldest = size - Math.floor(limit / 2);
    const newline = this.#read(oldest, longestLine).indexOf(10);
    const begin = newline === -1 ? oldest : oldest + newline + 1;
    // First where it begins, so that nobody reads the hole; then the hole.
    writeFileAtomically(`${this.path}.start`, String(begin));
    await run(fallocate, ['--punch-hole', '--offset', '0', '--length', String(begin), this.path]);
    this.#times.forget(begin);
  }

  #read(position: number, length: number): Buffer {
    const file = openSync(this.path, 'r');
    try {
      const wanted = Math.max(0, Math.min(length, fstatSync(file).size - position));
      const buffer = Buffer.alloc(wanted);
      return buffer.subarray(0, readSync(file, buffer, 0, wanted, position));
    } finally {
      closeSync(file);
    }
  }
}
