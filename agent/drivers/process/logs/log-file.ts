import { execFile } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { writeFileAtomically } from '../../../../machine/files.ts';
import { type LogGap, largestBatch, longestLine } from '../../../../protocol/logs.ts';
import type { LogLines } from '../../driver.ts';

const entrySize = 16;
const most = 16_384;

/**
 * When what stands in a log was written: pairs of a size and the time at which the log had it. A line's time is that of
 * the first look after it; without an agent, that of the next one's. Old entries are thinned out, not forgotten.
 */
class LogTimes {
  readonly #path: string;
  #sizes: number[] = [];
  #times: number[] = [];
  #read = 0;

  constructor(path: string) {
    this.#path = path;
  }

  note(size: number): void {
    this.#catchUp();
    if (size <= (this.#sizes.at(-1) ?? 0)) return;
    const now = Math.max(Date.now(), this.#times.at(-1) ?? 0);
    const entry = Buffer.alloc(entrySize);
    entry.writeBigUInt64LE(BigInt(size), 0);
    entry.writeBigUInt64LE(BigInt(now), 8);
    appendFileSync(this.#path, entry, { mode: 0o600 });
    this.#catchUp();
    if (this.#sizes.length > most) this.#keep((index) => index > most / 2 || index % 2 === 1);
  }

  /** When a position was written, and the position from which on another time holds. */
  span(position: number): { at: Date; until: number } {
    let [low, high] = [0, this.#sizes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sizes[middle] ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return { at: new Date(this.#times[low] ?? Date.now()), until: this.#sizes[low] ?? Number.POSITIVE_INFINITY };
  }

  forget(before: number): void {
    this.#catchUp();
    this.#keep((index) => (this.#sizes[index] ?? 0) > before);
  }

  #keep(wanted: (index: number) => boolean): void {
    const kept = this.#sizes.map((_, index) => index).filter(wanted);
    const bytes = Buffer.alloc(kept.length * entrySize);
    kept.forEach((index, place) => {
      bytes.writeBigUInt64LE(BigInt(this.#sizes[index] ?? 0), place * entrySize);
      bytes.writeBigUInt64LE(BigInt(this.#times[index] ?? 0), place * entrySize + 8);
    });
    writeFileAtomically(this.#path, bytes);
    this.#sizes = kept.map((index) => this.#sizes[index] ?? 0);
    this.#times = kept.map((index) => this.#times[index] ?? 0);
    this.#read = bytes.length;
  }

  /** Reads what this agent, or the one before it, has written since. */
  #catchUp(): void {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === this.#read) return;
    if (size < this.#read) [this.#sizes, this.#times, this.#read] = [[], [], 0];
    const bytes = readFileSync(this.#path);
    for (; this.#read + entrySize <= bytes.length; this.#read += entrySize) {
      this.#sizes.push(Number(bytes.readBigUInt64LE(this.#read)));
      this.#times.push(Number(bytes.readBigUInt64LE(this.#read + 8)));
    }
  }
}

const run = promisify(execFile);
const block = 65_536;
/** As much as goes into one request. */
const largestRun = largestBatch;
/** A process owns its log, so it can make it look as long as it likes. */
const farthest = 256 * 1024 * 1024;

/** Lines that were written at one time, or a part that was freed before it was read. */
export type Run = Omit<LogLines, 'stream'> | Omit<LogGap, 'stream'>;

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

  /**
   * What stands between two positions. A last line without a line break is left out, unless it is told that nobody
   * finishes it.
   */
  *runs(from: number, to: number, unfinished: boolean): Generator<Run, void, undefined> {
    // The rest of a line that was told before it was finished may be its end only.
    let at = from > this.start && from < to && this.breaksAt(from) && !this.breaksAt(from - 1) ? from + 1 : from;
    while (at < to) {
      const read = this.#read(at, Math.min(largestRun, to - at));
      // Freed before or while it was read: what was read may be the hole.
      const { start } = this;
      if (at < start) {
        yield { missing: { from: at, to: start } };
        at = start;
        continue;
      }
      if (read.length === 0) return;
      const { at: time, until } = this.#times.span(at);
      const length = linesIn(read, until - at) ?? longLineIn(read) ?? (unfinished ? read.length : 0);
      if (length === 0) return;
      yield { position: at, next: at + length, at: time, bytes: read.subarray(0, length) };
      at += length;
    }
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

/** How many bytes the lines take that begin in the first so many; nothing if no line ends here. */
function linesIn(bytes: Buffer, within: number): number | undefined {
  const first = within > bytes.length ? -1 : bytes.indexOf(10, within - 1);
  const last = first === -1 ? bytes.lastIndexOf(10) : first;
  return last === -1 ? undefined : last + 1;
}

/** So much of a line that is too long, in whole pieces; its end is left, for it may be just a line break. */
function longLineIn({ length }: Buffer): number | undefined {
  return length > longestLine ? (Math.ceil(length / longestLine) - 1) * longestLine : undefined;
}
