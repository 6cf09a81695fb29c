import type { LogBatch, LogReader, LogReaders } from '../../protocol/logs.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Client } from '../link/client.ts';
import { sendLog } from './log-sender.ts';

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
