import type { Descriptor } from './manifest.ts';

/** Where images come from. Nothing that it answers is believed: whoever asks verifies size and digest. */
export interface Source {
  /** How it is called in sentences; without credentials. */
  readonly name: string;
  /** The document that is served when no digest is named: a manifest, or an index. */
  root(signal: AbortSignal): Promise<Buffer>;
  /** A manifest by its digest. */
  manifest(digest: string, signal: AbortSignal): Promise<Buffer>;
  /** Goes on where it was interrupted, as far as that can be. */
  blob(descriptor: Descriptor, signal: AbortSignal): AsyncIterable<Buffer>;
  close(): void;
}
