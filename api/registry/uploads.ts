import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Author } from '../../db/engine/author.ts';
import type { Database } from '../../db/postgres/database.ts';
import { linkBlob, recordBlob } from '../../db/registry/blobs.ts';
import type { Repository } from '../../db/registry/repositories.ts';
import {
  adoptUpload,
  beginUpload,
  endUpload,
  findUpload,
  noteReceived,
  type Upload,
} from '../../db/registry/uploads.ts';
import type { Allowance } from './allowance.ts';
import { RegistryError } from './registry-error.ts';
import { type BlobStore, NotItsEnd } from './storage/blob-store.ts';
import { pour } from './storage/disk-store.ts';

/** An upload that this process goes on with: its draft, how much of it is there, and the digest of that. */
interface Work {
  draft: string;
  size: number;
  /** Undefined after an interruption: the draft alone says what has arrived, and is read at the end. */
  hash: Hash | undefined;
}

export interface Chunk {
  body: Readable;
  /** Where the client says that it begins; by default at the end of what is there. */
  first?: number | undefined;
  /** How long it must be. */
  length?: number | undefined;
  /** How long the client says that the body is. */
  declared?: number | undefined;
}

/** So many bytes are written down between two looks at the quota, which tell other processes that the upload is alive, too. */
const stride = 32 * 1024 * 1024;
/** In milliseconds: as long as a slow upload brings something, it is alive. */
const longestSilence = 60_000;
const mostRemembered = 10_000;
/** A sweep took the blob between its last byte and its row. */
const swept = Symbol('swept');

/** The uploads of this process. Bytes go to the draft as they come, and are digested on the way. */
export class Uploads {
  readonly #database: Database;
  readonly #store: BlobStore;
  readonly #mostOpen: number;
  readonly #works = new Map<string, Work>();
  /** The last request of each upload. A client that comes again has given up the one before. */
  readonly #turns = new Map<string, { stop: AbortController; done: Promise<unknown> }>();

  constructor(database: Database, store: BlobStore, mostOpen: number) {
    this.#database = database;
    this.#store = store;
    this.#mostOpen = mostOpen;
  }

  async begin(author: Author, repository: Repository): Promise<Upload> {
    const draft = randomUUID();
    await this.#store.createDraft(draft);
    try {
      const upload = await beginUpload(this.#database, author, repository, { draft, most: this.#mostOpen });
      this.#remember(upload.id, { draft, size: 0, hash: createHash('sha256') });
      return upload;
    } catch (error) {
      await this.#store.deleteDraft(draft);
      throw error;
    }
  }

  /** How many bytes have arrived. */
  async size(repository: Repository, id: string): Promise<number> {
    const { draft } = await this.#find(repository, id);
    const size = await this.#store.draftSize(draft);
    if (size === undefined) throw unknownUpload();
    return size;
  }

  /** Takes more of the blob. What arrived before an interruption stays. Answers how many bytes there are now. */
  async append(repository: Repository, id: string, chunk: Chunk, allowance: Allowance): Promise<number> {
    return await this.#turn(id, async (stop) => {
      const work = await this.#own(repository, id);
      await this.#write(repository, id, work, chunk, allowance, stop);
      if (work.hash !== undefined) await this.#store.noteSha256(work.draft, work.size, work.hash.copy().digest('hex'));
      return work.size;
    });
  }

  /** Takes the rest, verifies the whole, and gives the repository the blob. A wrong digest ends the upload. */
  async finish(repository: Repository, id: string, digest: string, chunk: Chunk, allowance: Allowance): Promise<void> {
    await this.#turn(id, async (stop) => {
      const work = await this.#own(repository, id);
      await this.#write(repository, id, work, chunk, allowance, stop);
      const found = await this.#digest(work, digest);
      if (found !== digest) {
        await this.#discard(repository, id, work);
        throw new RegistryError(
          'DIGEST_INVALID',
          `The content has the digest ${found} and not ${digest}; push it again.`,
        );
      }
      await this.#keep(repository, id, work, digest);
      this.#works.delete(id);
    });
  }

  async cancel(repository: Repository, id: string): Promise<void> {
    await this.#turn(id, async () => this.#discard(repository, id, await this.#find(repository, id)));
  }

  /** Rows and bytes together. The bytes come first, since no transaction should wait for them. */
  async #keep(repository: Repository, id: string, { draft, size }: Work, digest: string): Promise<void> {
    for (;;) {
      const settled = await this.#store.settle(draft, digest);
      const kept = await this.#database.kysely
        .transaction()
        .execute(async (running) => {
          // Whose draft it is: from here on no other process can take the upload over.
          if (!(await endUpload(running, repository, { id, draft }))) throw unknownUpload();
          await recordBlob(running, { digest, size });
          if (!(await settled.keep())) throw swept;
          await linkBlob(running, repository, digest);
          return true;
        })
        .catch((error: unknown) => {
          if (error === swept) return false;
          throw error;
        });
      // The push is over, whatever becomes of what it leaves behind: sweeps look for that.
      if (kept) return await settled.done().catch(() => undefined);
    }
  }

  async #write(
    repository: Repository,
    id: string,
    work: Work,
    { body, first, length, declared }: Chunk,
    allowance: Allowance,
    stop: AbortSignal,
  ): Promise<void> {
    const begin = work.size;
    if (first !== undefined && first !== begin) throw outOfOrder(repository, id, begin);
    // The digest of what came before is known, or the draft is read at the end.
    const hash = work.hash ?? (begin === 0 ? createHash('sha256') : undefined);
    let size = begin;
    let noted = begin;
    let notedAt = performance.now();
    const note = async () => {
      noted = size;
      notedAt = performance.now();
      if (!(await noteReceived(this.#database.kysely, repository, { id, draft: work.draft }, size)))
        throw unknownUpload();
      await allowance.check(size, 0);
    };
    await allowance.check(begin, declared ?? 0);
    // Until all is written, what counts is what the draft has.
    work.hash = undefined;
    const onPiece = (piece: Buffer): Promise<void> | undefined => {
      size += piece.length;
      if (length !== undefined && size - begin > length) throw wrongLength();
      hash?.update(piece);
      return size - noted < stride && performance.now() - notedAt < longestSilence ? undefined : note();
    };
    try {
      await pour(body, await this.#store.writeDraft(work.draft, begin), onPiece, stop);
      if (length !== undefined && size - begin !== length) throw wrongLength();
    } catch (error) {
      if (error instanceof RegistryError && !stop.aborted) await this.#store.cutDraft(work.draft, begin);
      work.size = (await this.#store.draftSize(work.draft)) ?? 0;
      // An earlier write has arrived whose answer was lost: the client goes on behind it.
      throw error instanceof NotItsEnd ? outOfOrder(repository, id, error.expected) : error;
    }
    work.hash = hash;
    work.size = size;
    if (size > noted) await note();
  }

  /** The upload in a draft that no other process writes to. One of another process, or of one that died, is copied. */
  async #own(repository: Repository, id: string): Promise<Work> {
    const upload = await this.#find(repository, id);
    const known = this.#works.get(id);
    if (known?.draft === upload.draft) return known;
    const draft = randomUUID();
    if ((await this.#store.draftSize(upload.draft)) === undefined) throw unknownUpload();
    let hash: Hash | undefined;
    try {
      hash = await this.#store.copyDraft(upload.draft, draft);
      if (!(await adoptUpload(this.#database.kysely, repository, upload, draft))) throw unknownUpload();
    } catch (error) {
      await this.#store.deleteDraft(draft);
      throw error;
    }
    await this.#store.deleteDraft(upload.draft);
    const size = await this.#store.draftSize(draft);
    if (size === undefined) throw unknownUpload();
    const work = { draft, size, hash };
    this.#remember(id, work);
    return work;
  }

  async #digest(work: Work, wanted: string): Promise<string> {
    if (wanted.startsWith('sha512:')) return `sha512:${await this.#read(work, 'sha512')}`;
    const known = work.hash?.copy().digest('hex') ?? (await this.#store.notedSha256(work.draft, work.size));
    return `sha256:${known ?? (await this.#read(work, 'sha256'))}`;
  }

  async #read({ draft }: Work, algorithm: string): Promise<string> {
    const hash = createHash(algorithm);
    for await (const piece of await this.#store.readDraft(draft)) hash.update(piece as Buffer);
    return hash.digest('hex');
  }

  async #find(repository: Repository, id: string): Promise<Upload> {
    const upload = await findUpload(this.#database.kysely, repository, id);
    if (upload === undefined) throw unknownUpload();
    return upload;
  }

  async #discard(repository: Repository, id: string, { draft }: { draft: string }): Promise<void> {
    this.#works.delete(id);
    if (await endUpload(this.#database.kysely, repository, { id, draft })) await this.#store.deleteDraft(draft);
  }

  /** One request of an upload at a time: the newest one ends the one before, whose client does not wait any more. */
  async #turn<T>(id: string, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#turns.get(id);
    const stop = new AbortController();
    const started = (async () => {
      before?.stop.abort(interrupted());
      await before?.done.catch(() => undefined);
      return await work(stop.signal);
    })();
    const turn = { stop, done: started };
    this.#turns.set(id, turn);
    try {
      return await started;
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error;
    } finally {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    }
  }

  #remember(id: string, work: Work): void {
    this.#works.set(id, work);
    // An upload that is forgotten is copied once, like that of another process.
    const [oldest] = this.#works.keys();
    if (this.#works.size > mostRemembered && oldest !== undefined) this.#works.delete(oldest);
  }
}

export function placeOf({ path }: Repository, id: string): string {
  return `/v2/${path}/blobs/uploads/${id}`;
}

/** As the specification has it: the last byte that is there, and `0-0` of nothing. */
export function rangeOf(size: number): string {
  return `0-${Math.max(0, size - 1)}`;
}

function unknownUpload(): RegistryError {
  return new RegistryError(
    'BLOB_UPLOAD_UNKNOWN',
    'There is no such upload here; it may have ended. Begin another one.',
  );
}

function wrongLength(): RegistryError {
  return new RegistryError('SIZE_INVALID', 'The chunk is not as long as its Content-Range says; send it again.');
}

function interrupted(): RegistryError {
  return new RegistryError('BLOB_UPLOAD_INVALID', 'Another request goes on with this upload.', { status: 409 });
}

function outOfOrder(repository: Repository, id: string, size: number): RegistryError {
  const headers = { location: placeOf(repository, id), range: rangeOf(size), 'docker-upload-uuid': id };
  return new RegistryError('BLOB_UPLOAD_INVALID', `The next chunk of this upload begins at ${size}.`, {
    status: 416,
    headers,
  });
}
