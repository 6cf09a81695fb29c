import type { Readable, Writable } from 'node:stream';

/** The place of the bytes. Rows say who may read them, and which of them are whole. */
export interface BlobStore {
  /** An empty draft of that name, which nobody else writes to. */
  createDraft(name: string): Promise<void>;
  /** Undefined: there is no such draft any more. */
  draftSize(name: string): Promise<number | undefined>;
  /** Writes from that place on; all of it is there, though not yet for ever, when it closes. */
  writeDraft(name: string, from: number): Writable;
  readDraft(name: string): Readable;
  /** Leaves its first bytes only. */
  cutDraft(name: string, size: number): Promise<void>;
  deleteDraft(name: string): Promise<void>;
  /** From here on no crash of the machine loses it. */
  flushDraft(name: string): Promise<void>;
  /** Turns a flushed draft into the blob of that digest, in one step. The caller has verified it. */
  keep(name: string, digest: string): Promise<void>;
  /** Undefined: there is no such blob. */
  blobSize(digest: string): Promise<number | undefined>;
  /** From the first byte to the last one, that included. */
  readBlob(digest: string, range?: { first: number; last: number }): Readable;
  deleteBlob(digest: string): Promise<void>;
  /** Names of drafts, and digests of blobs, that have not changed for a day: leftovers, if no row knows them. */
  oldDrafts(): Promise<string[]>;
  oldBlobs(): AsyncIterable<string[]>;
}
