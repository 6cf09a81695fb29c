import { write, writeSync } from 'node:fs';

/** Lines that wait for room on the disk, in characters; those beyond are counted. */
const longestWaiting = 1024 * 1024;
const gatheredLength = 8_192;
const gatheredMillis = 100;
/** Until a write that failed is tried again. */
const againMillis = 200;
/** At the end of a program, for a reader of a pipe that is slow. */
const lastAttempts = 50;

interface Writing {
  fd: number;
  /** Lines are written together, a tenth of a second late, and do not hold up who writes them. */
  gather: boolean;
  /** The first write after some that failed: since when, and how many lines were lost. */
  onRoom: (since: Date, missing: number) => void;
}

/**
 * Lines of a log, as a destination of pino. Its own destination ends the program when the disk is full, or, at the end of a program,
 * tries for ever and so never lets it end.
 */
export class LineWriter {
  readonly #writing: Writing;
  #waiting = '';
  #rest: Buffer = Buffer.alloc(0);
  #busy = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #since: Date | undefined;
  #missing = 0;

  constructor(writing: Writing) {
    this.#writing = writing;
    process.once('exit', () => this.#last());
  }

  write(line: string): void {
    if (this.#closed) return;
    if (this.#rest.length + this.#waiting.length > longestWaiting) {
      this.#missing += 1;
      return;
    }
    this.#waiting += line;
    const { gather } = this.#writing;
    if (this.#since === undefined && (!gather || this.#waiting.length > gatheredLength)) this.#flush();
    else this.#flushIn(this.#since === undefined ? gatheredMillis : againMillis);
  }

  #flushIn(millis: number): void {
    this.#timer ??= setTimeout(() => this.#flush(), millis).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#busy) return;
    const piece = this.#take();
    if (piece.length === 0) return;
    this.#busy = true;
    if (this.#writing.gather) write(this.#writing.fd, piece, (error, count) => this.#wrote(piece, error, count));
    else this.#wrote(piece, ...writtenNow(this.#writing.fd, piece));
  }

  #take(): Buffer {
    const piece = Buffer.concat([this.#rest, Buffer.from(this.#waiting)]);
    this.#rest = Buffer.alloc(0);
    this.#waiting = '';
    return piece;
  }

  #wrote(piece: Buffer, error: NodeJS.ErrnoException | null, count: number): void {
    this.#busy = false;
    this.#rest = piece.subarray(error === null ? count : 0);
    if (error === null) {
      const since = this.#since;
      const missing = this.#missing;
      this.#since = undefined;
      this.#missing = 0;
      if (since !== undefined) this.#writing.onRoom(since, missing);
      if (this.#rest.length > 0 || this.#waiting.length > gatheredLength) this.#flush();
      else if (this.#waiting !== '') this.#flushIn(gatheredMillis);
      return;
    }
    // Nobody reads any more.
    if (error.code === 'EPIPE') this.#closed = true;
    else if (error.code !== 'EAGAIN') this.#since ??= new Date();
    this.#flushIn(againMillis);
  }

  /** Lines that the disk does not take then are lost: a program that is told to end must end. */
  #last(): void {
    let piece = this.#take();
    for (let attempt = 0; attempt < lastAttempts && piece.length > 0; attempt += 1) {
      const [error, count] = writtenNow(this.#writing.fd, piece);
      piece = piece.subarray(count);
      if (error?.code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else if (error !== null) return;
    }
  }
}

function writtenNow(fd: number, piece: Buffer): [NodeJS.ErrnoException | null, number] {
  try {
    return [null, writeSync(fd, piece)];
  } catch (error) {
    return [error as NodeJS.ErrnoException, 0];
  }
}
