import { randomUUID } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../../../db/postgres/tables.ts';
import {
  addDraft,
  appendPart,
  cutParts,
  draftBytes,
  findDraft,
  noteSha256,
  removeDraft,
  unchangedDrafts,
  unknownParts,
} from '../../../db/registry/drafts.ts';
import type { DraftPart } from '../../../db/registry/table.ts';
import { Problem } from '../../../domain/problems.ts';
import { PartWriter } from '../../../outbound/s3/part-writer.ts';
import type { S3Client } from '../../../outbound/s3/s3-client.ts';
import { S3Failed } from '../../../outbound/s3/s3-failures.ts';
import { RegistryError } from '../registry-error.ts';
import { type BlobStore, blobPath, checkDraftName, digestAt, NotItsEnd, type Settled } from './blob-store.ts';
import { joinBlob, severalAtOnce } from './joins.ts';

/** Between two lines in the log on the same outage. */
const silenceMillis = 10_000;

/** The answer to clients when the bucket fails; the reason, for operators, goes to the log. */
export class BucketWatch {
  readonly #log: Logger;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The failure as the API answers it: of the bucket `unavailable`, any other as it is. */
  failure(error: unknown): unknown {
    if (!(error instanceof S3Failed)) return error;
    if (performance.now() - this.#toldAt >= silenceMillis) {
      this.#toldAt = performance.now();
      this.#log.warn({ reason: error.reason }, error.message);
    }
    return new Problem(
      'unavailable',
      'The storage of the registry cannot be reached at the moment; try again in a few seconds.',
      { retryAfterSeconds: 5 },
    );
  }
}

const day = 86_400_000;
const partBytes = 8 * 1024 * 1024;
const deletedAtOnce = 8;
/** A request to a bucket takes its time, whatever is in it. */
const objectsAtOnce = 16;
/** Probes come often, and each request to a bucket has its price. */
const reachedForMillis = 15_000;

interface Parts {
  client: S3Client;
  kysely: Kysely<Tables>;
  watch: BucketWatch;
  /** The time, in milliseconds. */
  now?: () => number;
}

/** Blobs as objects of one bucket, and drafts as rows that list objects. */
export class S3Store implements BlobStore {
  readonly #client: S3Client;
  readonly #kysely: Kysely<Tables>;
  readonly #watch: BucketWatch;
  readonly #now: () => number;
  #reachedUntil = Number.NEGATIVE_INFINITY;

  constructor({ client, kysely, watch, now = Date.now }: Parts) {
    this.#now = now;
    this.#client = client;
    this.#kysely = kysely;
    this.#watch = watch;
  }

  async createDraft(name: string): Promise<void> {
    checkDraftName(name);
    await addDraft(this.#kysely, name);
  }

  async draftSize(name: string): Promise<number | undefined> {
    return await draftBytes(this.#kysely, name);
  }

  async writeDraft(name: string, from: number): Promise<Writable> {
    checkDraftName(name);
    await this.#checkEnd(name, from);
    return new PartWriter(from, partBytes, (at, body, bytes) =>
      this.#asked(async () => {
        const object = `drafts/${name}/${randomUUID()}`;
        await this.#client.put(object, body);
        if (await appendPart(this.#kysely, name, at, { object, bytes })) return;
        await this.#client.delete(object);
        await this.#checkEnd(name, at);
        throw tooManyParts();
      }),
    );
  }

  async readDraft(name: string): Promise<Readable> {
    const draft = await findDraft(this.#kysely, name);
    if (draft === undefined) throw gone();
    return Readable.from(this.#bytesOf(draft.parts), { objectMode: false });
  }

  async cutDraft(name: string, size: number): Promise<void> {
    await this.#deleteObjects(await cutParts(this.#kysely, name, size));
  }

  async deleteDraft(name: string): Promise<void> {
    await this.#deleteObjects(await removeDraft(this.#kysely, name));
  }

  /** Adopting the upload renames the row. */
  async copyDraft(): Promise<undefined> {
    return undefined;
  }

  async noteSha256(name: string, size: number, sha256: string): Promise<void> {
    await noteSha256(this.#kysely, name, size, sha256);
  }

  async notedSha256(name: string, size: number): Promise<string | undefined> {
    const draft = await findDraft(this.#kysely, name);
    return draft?.bytes === size ? (draft.sha256 ?? undefined) : undefined;
  }

  async settle(name: string, digest: string): Promise<Settled> {
    const draft = await findDraft(this.#kysely, name);
    if (draft === undefined) throw gone();
    const key = blobPath(digest);
    await this.#asked(async () => {
      // Of the same digest: what is there was verified, too.
      if ((await this.#client.size(key)) !== draft.bytes) await joinBlob(this.#client, key, draft.parts);
    });
    return {
      keep: () => this.#asked(async () => (await this.#client.size(key)) === draft.bytes),
      done: () => this.deleteDraft(name),
    };
  }

  async settleBlobs(blobs: readonly { digest: string; bytes: Buffer }[]): Promise<Settled> {
    await this.#asked(() =>
      severalAtOnce(objectsAtOnce, blobs, ({ digest, bytes }) =>
        this.#client.put(blobPath(digest), { pieces: [bytes], sha256: digest.replace('sha256:', '') }),
      ),
    );
    const keep = async () => {
      const gone: string[] = [];
      await severalAtOnce(objectsAtOnce, blobs, async ({ digest, bytes }) => {
        const size = await this.#client.size(blobPath(digest));
        if (size !== bytes.length) gone.push(digest);
      });
      return gone.length === 0;
    };
    return { keep: () => this.#asked(keep), done: async () => undefined };
  }

  async blobSize(digest: string): Promise<number | undefined> {
    return await this.#asked(() => this.#client.size(blobPath(digest)));
  }

  async readBlob(digest: string, range?: { first: number; last: number }): Promise<Readable> {
    return await this.#asked(() => this.#client.get(blobPath(digest), range));
  }

  async deleteBlob(digest: string): Promise<void> {
    await this.#asked(() => this.#client.delete(blobPath(digest)));
  }

  async oldDrafts(): Promise<string[]> {
    return await unchangedDrafts(this.#kysely);
  }

  async *oldBlobs(): AsyncGenerator<string[]> {
    for await (const page of this.#client.list('blobs/')) {
      const old = page.filter(({ changedAt }) => this.#isOld(changedAt));
      yield old.map(({ key }) => digestAt(key)).filter((digest) => digest !== undefined);
    }
  }

  async sweepRemains(signal?: AbortSignal): Promise<void> {
    for await (const page of this.#client.list('drafts/')) {
      if (signal?.aborted) return;
      const old = page.filter(({ changedAt }) => this.#isOld(changedAt)).map(({ key }) => key);
      await this.#deleteObjects(await unknownParts(this.#kysely, old));
    }
    for await (const page of this.#client.listMultipart('blobs/')) {
      for (const { key, uploadId, begunAt } of page) {
        if (signal?.aborted) return;
        if (this.#isOld(begunAt)) await this.#client.abortMultipart(key, uploadId);
      }
    }
  }

  async reach(): Promise<void> {
    if (performance.now() < this.#reachedUntil) return;
    await this.#client.reach();
    this.#reachedUntil = performance.now() + reachedForMillis;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #checkEnd(name: string, from: number): Promise<void> {
    const end = await draftBytes(this.#kysely, name);
    if (end === undefined) throw gone();
    if (end !== from) throw new NotItsEnd(from, end);
  }

  #isOld(time: Date): boolean {
    return this.#now() - time.getTime() > day;
  }

  async *#bytesOf(parts: readonly DraftPart[]): AsyncGenerator<Buffer> {
    try {
      for (const { object } of parts) yield* await this.#client.get(object);
    } catch (error) {
      throw this.#watch.failure(error);
    }
  }

  async #deleteObjects(objects: readonly string[]): Promise<void> {
    const waiting = [...objects];
    const work = async () => {
      // No row names them any more: what stays after a failure is left to the sweep.
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await this.#client.delete(next).catch((error: unknown) => this.#watch.failure(error));
      }
    };
    await Promise.all(Array.from({ length: deletedAtOnce }, work));
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      this.#reachedUntil = Number.NEGATIVE_INFINITY;
      throw this.#watch.failure(error);
    }
  }
}

function gone(): RegistryError {
  return new RegistryError(
    'BLOB_UPLOAD_UNKNOWN',
    'There is no such upload here; it may have ended, or another request goes on with it.',
  );
}

function tooManyParts(): RegistryError {
  return new RegistryError('BLOB_UPLOAD_INVALID', 'The upload came in too many chunks; begin again with larger ones.');
}
