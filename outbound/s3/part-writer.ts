import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { S3Bytes } from './s3-client.ts';

/** Stores a part that begins at that place; it counts once this has answered. */
export type StorePart = (from: number, body: Required<S3Bytes>, bytes: number) => Promise<void>;

/**
 * Gathers what is written until it is a part, and stores one part while it gathers the next: more is not in memory. What
 * is left when it ends becomes a part of its own.
 */
export class PartWriter extends Writable {
  readonly #store: StorePart;
  readonly #partBytes: (from: number) => number;
  #from: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #hash = createHash('sha256');
  /** Never rejects: its failure is met by whoever waits for it. */
  #stored: Promise<Error | undefined> = Promise.resolve(undefined);

  /** `partBytes`: of a part that begins at that place. */
  constructor(from: number, partBytes: number | ((from: number) => number), store: StorePart) {
    super({ highWaterMark: 256 * 1024 });
    this.#from = from;
    this.#partBytes = typeof partBytes === 'number' ? () => partBytes : partBytes;
    this.#store = store;
  }

  override _write(piece: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    const room = this.#partBytes(this.#from) - this.#bytes;
    this.#add(piece.subarray(0, room));
    if (piece.length < room) done();
    else {
      void this.#begin().then((error) => {
        if (error !== undefined || piece.length === room) done(error);
        else this._write(piece.subarray(room), _, done);
      });
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    const begun = this.#bytes > 0 ? this.#begin() : Promise.resolve(undefined);
    void begun.then(async (error) => done(error ?? (await this.#stored)));
  }

  /** Closed means that nothing is stored any more. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#stored.then(() => done(error));
  }

  #add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#hash.update(piece);
    this.#bytes += piece.length;
  }

  /** Waits for the part before, and begins with this one. Answers why that is not possible. */
  async #begin(): Promise<Error | undefined> {
    const error = await this.#stored;
    if (error !== undefined) return error;
    const [from, pieces, bytes, sha256] = [this.#from, this.#pieces, this.#bytes, this.#hash.digest('hex')];
    this.#from += bytes;
    this.#pieces = [];
    this.#bytes = 0;
    this.#hash = createHash('sha256');
    this.#stored = this.#store(from, { pieces, sha256 }, bytes).then(
      () => undefined,
      (failure: unknown) => (failure instanceof Error ? failure : new Error(String(failure))),
    );
    return undefined;
  }
}
