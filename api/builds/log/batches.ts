/** Those that were asked for last stay, up to so many bytes of one log. */
const mostBytes = 4 * 1024 * 1024;

interface Kept<Value> {
  made: Promise<{ value: Value; bytes: number }>;
  bytes: number;
}

/** Pieces of one log by the line behind which they begin, made once for all that ask for them. They never change. */
export class Batches<Value> {
  readonly #kept = new Map<number, Kept<Value>>();
  #bytes = 0;

  async get(after: number, make: () => Promise<{ value: Value; bytes: number }>): Promise<Value> {
    const known = this.#kept.get(after);
    const kept = known ?? { made: make(), bytes: 0 };
    // The last one that was asked for is the last to go.
    this.#kept.delete(after);
    this.#kept.set(after, kept);
    if (known !== undefined) return (await known.made).value;
    try {
      const { value, bytes } = await kept.made;
      // A piece that is empty has nothing yet: another may be made in its place.
      if (bytes === 0) this.#forget(after, kept);
      else {
        kept.bytes = bytes;
        this.#bytes += bytes;
        this.#forgetOldest();
      }
      return value;
    } catch (error) {
      this.#forget(after, kept);
      throw error;
    }
  }

  #forget(after: number, kept: Kept<Value>): void {
    if (this.#kept.get(after) !== kept) return;
    this.#kept.delete(after);
    this.#bytes -= kept.bytes;
  }

  #forgetOldest(): void {
    for (const [after, kept] of this.#kept) {
      if (this.#bytes <= mostBytes) return;
      // Without bytes it is being made.
      if (kept.bytes > 0) this.#forget(after, kept);
    }
  }
}
