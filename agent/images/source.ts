import type { Descriptor } from './manifest.ts';

/** The origin of an image. None of its answers is trusted: the caller verifies size and digest. */
export interface Source {
  /** The source's name in messages; without credentials. */
  readonly name: string;
  /** The document that is served when no digest is named: a manifest, or an index. */
  root(signal: AbortSignal): Promise<Buffer>;
  /** A manifest by its digest. */
  manifest(digest: string, signal: AbortSignal): Promise<Buffer>;
  /** Resumes after an interruption where the source allows it. */
  blob(descriptor: Descriptor, signal: AbortSignal): AsyncIterable<Buffer>;
  close(): void;
}
