import { type LogBatch, type LogReader, largestBatch } from '../../protocol/logs.ts';
import type { Driver, LogRequest } from '../drivers/driver.ts';
import { SpreadBackOff } from '../link/back-off.ts';
import { LinkFailure } from '../link/link-failure.ts';
import { pause } from '../link/pause.ts';
import { reason } from '../program/log.ts';
import { Outgoing } from './outgoing.ts';

export interface Sending {
  driver: Pick<Driver, 'logs'>;
  /** Whether the control plane has room for it. */
  post(id: string, batch: LogBatch, signal: AbortSignal): Promise<{ taken: boolean }>;
  holdsLeases(): boolean;
  /** Lines that come within so many milliseconds go together. */
  lingerMillis(): number;
  signal: AbortSignal;
}

/** So much is read ahead of what was taken. */
const ahead = 2 * largestBatch;
const againMillis = 250;

/**
 * Sends a reader the log that it asked for, no faster than it takes it. `gone`: the reader has left or has everything;
 * `away`: the control plane does not answer, and a reader that is still there is served anew.
 */
export async function sendLog(reader: LogReader, sending: Sending): Promise<'gone' | 'away'> {
  const over = new AbortController();
  const signal = AbortSignal.any([sending.signal, over.signal]);
  const gathering = new Gathering(reader, { ...sending, signal });
  try {
    for await (const batch of gathering.batches()) {
      const told = await post(reader.id, batch, { ...sending, signal });
      if (told !== 'taken') return told;
    }
    return 'gone';
  } finally {
    over.abort();
  }
}

async function post(id: string, batch: LogBatch, { post, holdsLeases, signal }: Sending) {
  const backOff = new SpreadBackOff();
  while (!signal.aborted) {
    try {
      const { taken } = await post(id, batch, signal);
      if (taken) return 'taken';
      await pause(againMillis, signal);
    } catch (error) {
      if (!(error instanceof LinkFailure)) throw error;
      if (error.kind === 'refused') return 'gone';
      if (error.kind !== 'unreachable' || !holdsLeases()) return 'away';
      await pause(backOff.next(error.retryAfterMillis), signal);
    }
  }
  return 'gone';
}

/** Reads a log ahead of those who take it, within bounds. */
class Gathering {
  readonly #reader: LogReader;
  readonly #signal: AbortSignal;
  readonly #lingerMillis: () => number;
  readonly #reading: Promise<void>;
  #outgoing: Outgoing | undefined;
  #ended: { message?: string } | undefined;
  #wake: () => void = () => {};

  constructor(reader: LogReader, { driver, lingerMillis, signal }: Sending) {
    this.#reader = reader;
    this.#lingerMillis = lingerMillis;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#reading = this.#read(driver).then(
      () => this.#end({}),
      (error: unknown) => this.#end({ message: reason(error).slice(0, 1000) }),
    );
  }

  async *batches(): AsyncGenerator<LogBatch, void, undefined> {
    while (!this.#signal.aborted) {
      const batch = this.#outgoing?.take();
      if (batch !== undefined) {
        yield batch;
        continue;
      }
      if (this.#ended !== undefined) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#ended === undefined) await pause(this.#lingerMillis(), this.#signal);
    }
    if (this.#signal.aborted) return;
    await this.#reading;
    const cursor = this.#outgoing?.cursor ?? this.#reader.from ?? { stdout: 0, stderr: 0 };
    yield { from: cursor, to: cursor, chunks: [], end: this.#ended ?? {} };
  }

  async #read(driver: Sending['driver']): Promise<void> {
    const { instance, follow, to } = this.#reader;
    const request = { start: startOf(this.#reader), to, follow: follow && to === undefined, signal: this.#signal };
    for await (const found of driver.logs(instance, request)) {
      if ('begin' in found) {
        this.#outgoing = new Outgoing(found.begin);
        this.#wake();
        continue;
      }
      if ('runs' in found) this.#outgoing?.tell(found.runs);
      else this.#outgoing?.add(found);
      this.#wake();
      while ((this.#outgoing?.size ?? 0) >= ahead && !this.#signal.aborted) await pause(10, this.#signal);
      if (this.#signal.aborted) return;
    }
  }

  #end(end: { message?: string }): void {
    this.#ended = end;
    this.#wake();
  }
}

function startOf({ from, tail }: LogReader): LogRequest['start'] {
  if (from !== undefined) return { from };
  return tail === undefined ? 'oldest' : { tail };
}
