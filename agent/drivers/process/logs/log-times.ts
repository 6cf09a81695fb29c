import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { writeFileAtomically } from '../../../../machine/files.ts';

const entrySize = 16;
const most = 16_384;

/**
 * When what stands in a log was written: pairs of a size and the time at which the log had it. A line's time is that of
 * the first look after it; without an agent, that of the next one's. Old entries are thinned out, not forgotten.
 */
export class LogTimes {
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
