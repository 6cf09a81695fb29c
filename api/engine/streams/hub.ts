import type { HeardHint } from '../../../db/engine/feed/feed.ts';
import { Subscription } from './subscription.ts';

/** An open stream, as far as it concerns credentials that change beneath it. */
export interface OpenStream {
  credentialId: string;
  userId: string | undefined;
  organizationId: string | undefined;
  /** Ends the stream at once. */
  end(): void;
  /** Looks the credential up again and ends the stream if it may no longer be read. */
  recheck(): void;
}

interface Reader {
  organizationId: string;
  sees(hint: HeardHint): boolean;
}

/** One per process: hands what the feed brings to the streams it concerns. */
export class Hub {
  readonly #readers = new Map<string, Map<Subscription, Reader>>();
  readonly #streams = new Set<OpenStream>();

  /** Follows an organization's changes until the signal is aborted. */
  subscribe(reader: Reader, signal: AbortSignal): Subscription {
    const subscription = new Subscription();
    const readers = this.#readers.get(reader.organizationId) ?? new Map<Subscription, Reader>();
    this.#readers.set(reader.organizationId, readers.set(subscription, reader));
    const leave = () => {
      subscription.end();
      readers.delete(subscription);
      if (readers.size === 0 && this.#readers.get(reader.organizationId) === readers) {
        this.#readers.delete(reader.organizationId);
      }
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return subscription;
  }

  /** Keeps an eye on a stream's credential. Returns how to stop that. */
  watch(stream: OpenStream): () => void {
    this.#streams.add(stream);
    return () => this.#streams.delete(stream);
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  entries(hints: readonly HeardHint[]): void {
    for (const hint of hints) {
      if (hint.kind.startsWith('credential.')) this.#credential(hint);
      else if (!hint.kind.startsWith('agent.'))
        for (const [to, reader] of this.#readers.get(hint.organizationId) ?? []) if (reader.sees(hint)) to.push(hint);
    }
  }

  /** Hints were lost for these organizations, or for all: their readers are to fetch again what they show. */
  resync(organizationIds: readonly string[] | 'all'): void {
    for (const id of organizationIds === 'all' ? this.#readers.keys() : organizationIds) {
      for (const subscription of this.#readers.get(id)?.keys() ?? []) subscription.lost();
    }
    // Among what was lost may have been the revocation of a credential.
    for (const stream of [...this.#streams]) {
      if (organizationIds === 'all' || organizationIds.includes(stream.organizationId ?? '')) stream.recheck();
    }
  }

  /** Ends every stream: the process is going to stop. */
  close(): void {
    for (const stream of [...this.#streams]) stream.end();
  }

  #credential(hint: HeardHint): void {
    for (const stream of [...this.#streams]) {
      if (hint.kind === 'credential.revoked' && stream.credentialId === hint.id) stream.end();
      if (hint.kind === 'credential.changed' && stream.userId === hint.id) stream.recheck();
      if (hint.kind === 'credential.organization' && stream.organizationId === hint.id) stream.end();
    }
  }
}
