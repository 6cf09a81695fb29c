import type { Hash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';

/** The place of the bytes. Rows say who may read them, and which of them are whole. README.md has the contract. */
export interface BlobStore {
  /** An empty draft of that name, which nobody else writes to. */
  createDraft(name: string): Promise<void>;
  /** How much is there for good. Undefined: there is no such draft any more. */
  draftSize(name: string): Promise<number | undefined>;
  /**
   * Writes from the draft's end on; all of it is there when it closes, after a failure what came before. `NotItsEnd`: the
   * draft does not end there, and nothing is written.
   */
  writeDraft(name: string, from: number): Promise<Writable>;
  readDraft(name: string): Promise<Readable>;
  /** Leaves its first bytes only; they end where a writer once closed. */
  cutDraft(name: string, size: number): Promise<void>;
  deleteDraft(name: string): Promise<void>;
  /**
   * Before an upload gets a draft of another name: whatever has to be done so that it has the same content. Answers the
   * SHA-256 of it, if it came by.
   */
  copyDraft(name: string, own: string): Promise<Hash | undefined>;
  /** Remembers, where that is of use to other processes, the SHA-256 of a draft of that size. */
  noteSha256(name: string, size: number, sha256: string): Promise<void>;
  /** Undefined: nobody has noted it, or more came since. */
  notedSha256(name: string, size: number): Promise<string | undefined>;
  /** Makes the blob of that digest from a draft, as far as possible outside of a transaction. The caller has verified it. */
  settle(name: string, digest: string): Promise<Settled>;
  /** The same of small ones that are in memory as a whole; the digests are SHA-256. */
  settleBlobs(blobs: readonly { digest: string; bytes: Buffer }[]): Promise<Settled>;
  /** Undefined: there is no such blob. */
  blobSize(digest: string): Promise<number | undefined>;
  /** From the first byte to the last one, that included. */
  readBlob(digest: string, range?: { first: number; last: number }): Promise<Readable>;
  deleteBlob(digest: string): Promise<void>;
  /** Names of drafts, and digests of blobs, that have not changed for a day: leftovers, if no row knows them. */
  oldDrafts(): Promise<string[]>;
  oldBlobs(): AsyncIterable<string[]>;
  /** Deletes what processes left that died between two steps, and what no list above tells of. */
  sweepRemains(signal?: AbortSignal): Promise<void>;
  /** Throws unless it can be used. */
  reach(): Promise<void>;
  close(): Promise<void>;
}

export interface Settled {
  /** The last step, short, while the blob's row is locked. False: the blob was deleted meanwhile; settle again. */
  keep(): Promise<boolean>;
  /** Once the rows are committed: frees what the draft took. Of `settleBlobs` also when they will not be. */
  done(): Promise<void>;
}

/** A writer began at another place than the end of its draft. */
export class NotItsEnd extends Error {
  override readonly name = 'NotItsEnd';
  /** The place at which a writer must begin. */
  readonly expected: number;

  constructor(from: number, expected: number) {
    super(`The draft ends at ${expected} and not at ${from}.`);
    this.expected = expected;
  }
}

/** Where the blob of a digest lies, beneath a directory or a prefix. */
export function blobPath(digest: string): string {
  const [, algorithm, digits] = /^(sha256|sha512):([0-9a-f]{64,128})$/.exec(digest) ?? [];
  if (algorithm === undefined || digits === undefined) throw new Error(`${digest} is no digest.`);
  return `blobs/${algorithm}/${digits.slice(0, 2)}/${digits}`;
}

/** The digest of a blob that lies there; undefined if no blob does. */
export function digestAt(path: string): string | undefined {
  const [, algorithm, prefix, digits] = /^blobs\/(sha256|sha512)\/([0-9a-f]{2})\/([0-9a-f]{64,128})$/.exec(path) ?? [];
  return digits?.slice(0, 2) === prefix && digits !== undefined ? `${algorithm}:${digits}` : undefined;
}

export function checkDraftName(name: string): void {
  if (!/^[0-9a-f-]{36}$/.test(name)) throw new Error(`${name} is no name of a draft.`);
}
