import { close, fstatSync, openSync, renameSync, statSync, write, writeSync } from 'node:fs';

const largest = 20 * 1024 * 1024;
const kept = 3;
const mostWaiting = 8 * 1024 * 1024;
const batchMilliseconds = 100;

export interface AccessLine {
  time: string;
  host: string;
  method: string;
  /** Without the query: that is where secrets are. */
  path: string;
  status: number;
  bytes: number;
  ms: number;
  instance?: string;
  requestId: string;
  client: string;
  protocol: string;
  /** Set if the answer was not whole. */
  cut?: true;
}

/**
 * A line a request, written in batches a tenth of a second apart: so much is lost at most if the process is killed. Two
 * processes may write while one takes over from the other; then only the one that serves moves full files away.
 */
export class AccessLog {
  readonly #path: string;
  #file: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing = false;
  rotates = true;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
  }

  add(line: AccessLine): void {
    if (this.#waitingBytes > mostWaiting) {
      this.#lost += 1;
      return;
    }
    const text = `${JSON.stringify(line)}\n`;
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    this.#timer ??= setTimeout(() => this.#flush(), batchMilliseconds);
  }

  /** Writes what is left, before the process ends. */
  close(): void {
    clearTimeout(this.#timer);
    try {
      writeSync(this.#file, this.#take());
    } catch {
      // A full disk is no reason not to end.
    }
  }

  #take(): string {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingBytes = 0;
    return text;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#writing) {
      this.#timer = setTimeout(() => this.#flush(), batchMilliseconds);
      return;
    }
    this.#writing = true;
    this.#rotate();
    if (this.#lost > 0) {
      this.#waiting.push(`${JSON.stringify({ time: new Date().toISOString(), lostLines: this.#lost })}\n`);
      this.#lost = 0;
    }
    this.#writeAll(Buffer.from(this.#take()));
  }

  #writeAll(rest: Buffer): void {
    write(this.#file, rest, (error, written) => {
      if (error === null && written < rest.length) return this.#writeAll(rest.subarray(written));
      if (error !== null) this.#lost += 1;
      this.#writing = false;
    });
  }

  #rotate(): void {
    try {
      if (this.rotates && fstatSync(this.#file).size > largest) {
        for (let number = kept - 1; number >= 1; number -= 1) {
          const older = `${this.#path}.${number}`;
          if (statSync(older, { throwIfNoEntry: false })) renameSync(older, `${this.#path}.${number + 1}`);
        }
        renameSync(this.#path, `${this.#path}.1`);
      }
      if (statSync(this.#path, { throwIfNoEntry: false })?.ino === fstatSync(this.#file).ino) return;
      const before = this.#file;
      this.#file = openSync(this.#path, 'a', 0o600);
      close(before);
    } catch {
      // Goes on in the file it has; the next batch tries again.
    }
  }
}
