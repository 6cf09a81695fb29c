import { type LogBatch, type LogReader, type LogReaders, largestBatch } from '../../protocol/logs.ts';
import type { Driver, LogRequest } from '../drivers/driver.ts';
import { pause, SpreadBackOff } from '../link/back-off.ts';
import type { Client } from '../link/client.ts';
import { LinkFailure } from '../link/link-failure.ts';
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

const atOnce = 64;

interface LogSendersOptions {
  client: Pick<Client, 'logs'>;
  driver: Driver;
  holdsLeases(): boolean;
}

/** Serves those who read logs here: a sender for each that the control plane names, and none for others. */
export class LogSenders {
  readonly #options: LogSendersOptions;
  /** A reader that was served stays until it is no longer named, so that it is not served twice. */
  readonly #known = new Map<string, AbortController>();
  #sending = 0;
  #revision = '';

  constructor(options: LogSendersOptions) {
    this.#options = options;
  }

  /** Of the readers that are served; the control plane names them again if these are not all. */
  get revision(): string {
    return this.#revision;
  }

  take({ revision, readers }: LogReaders): void {
    const named = new Set(readers.map(({ id }) => id));
    for (const [id, stopping] of this.#known) {
      if (named.has(id)) continue;
      stopping.abort();
      this.#known.delete(id);
    }
    for (const reader of readers) if (!this.#known.has(reader.id)) this.#serve(reader);
    this.#revision = revision;
  }

  close(): void {
    for (const stopping of this.#known.values()) stopping.abort();
  }

  #serve(reader: LogReader): void {
    const stopping = new AbortController();
    this.#known.set(reader.id, stopping);
    const { client, driver, holdsLeases } = this.#options;
    const post = (id: string, batch: LogBatch, signal: AbortSignal) => client.logs(id, batch, signal);
    const { signal } = stopping;
    if (this.#sending >= atOnce) {
      void refuse(reader, (batch) => post(reader.id, batch, signal));
      return;
    }
    this.#sending += 1;
    // Many senders together stay below the requests that an agent may send.
    const lingerMillis = () => Math.max(50, 20 * this.#sending);
    void sendLog(reader, { driver, post, holdsLeases, lingerMillis, signal })
      .catch(() => 'away' as const)
      .then((ending) => {
        if (ending !== 'away' || this.#known.get(reader.id) !== stopping) return;
        this.#known.delete(reader.id);
        this.#revision = '';
      })
      .finally(() => {
        this.#sending -= 1;
      });
  }
}

async function refuse({ from }: LogReader, post: (batch: LogBatch) => Promise<unknown>): Promise<void> {
  const cursor = from ?? { stdout: 0, stderr: 0 };
  const message = 'Too many logs are read on this machine at once; try again later.';
  await post({ from: cursor, to: cursor, chunks: [], end: { message } }).catch(() => undefined);
}
