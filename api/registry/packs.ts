import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { findSource, namedBlobs } from '../../db/builds/sources.ts';
import type { Database } from '../../db/postgres/database.ts';
import { linkBlobs, recordBlobs } from '../../db/registry/blobs.ts';
import type { Repository } from '../../db/registry/repositories.ts';
import { longestPackLine, mostPackBytes, mostPackedBlobBytes, readPackLine } from '../../domain/builds/manifest.ts';
import { isId } from '../../domain/ids.ts';
import { type Allowance, allowanceOf } from './allowance.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryRoute } from './registry-route.ts';
import type { BlobStore } from './storage/blob-store.ts';

/** A blob as a whole, verified. */
interface PackedBlob {
  digest: string;
  bytes: Buffer;
}

/**
 * The blobs of a pack as they come, each with its digest verified. No more than a blob and a piece of the body is in memory. After a failure the
 * body is not read to its end: the client still gets its answer.
 */
async function* readPack(body: Readable): AsyncGenerator<PackedBlob, void, undefined> {
  let total = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    total += piece.length;
    if (total > mostPackBytes) throw tooLarge();
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (;;) {
      const found = firstOf(rest);
      if (found === undefined) break;
      rest = rest.subarray(found.end);
      yield verified(found);
    }
  }
  if (rest.length > 0) throw malformed('ends in the middle of a blob');
}

function tooLarge(): RegistryError {
  return new RegistryError('SIZE_INVALID', `A pack has at most ${mostPackBytes} bytes; send several.`, { status: 413 });
}

/** The first blob, if all of it is there. */
function firstOf(bytes: Buffer): (PackedBlob & { end: number }) | undefined {
  if (bytes.length === 0) return undefined;
  const length = bytes.subarray(0, longestPackLine).indexOf(0x0a);
  if (length === -1) {
    if (bytes.length < longestPackLine) return undefined;
    throw noLine();
  }
  const line = readPackLine(bytes.toString('latin1', 0, length));
  if (line === undefined) throw noLine();
  const end = length + 1 + line.size;
  return bytes.length < end ? undefined : { digest: line.digest, bytes: bytes.subarray(length + 1, end), end };
}

function verified({ digest, bytes }: PackedBlob): PackedBlob {
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found === digest) return { digest, bytes };
  throw new RegistryError('DIGEST_INVALID', `The content has the digest ${found} and not ${digest}; send it again.`);
}

function noLine(): RegistryError {
  return malformed(
    `has no line before a blob of the form sha256:<digits> <bytes>, of at most ${mostPackedBlobBytes} bytes; push a larger blob by itself`,
  );
}

function malformed(fault: string): RegistryError {
  return new RegistryError('BLOB_UPLOAD_INVALID', `The pack ${fault}.`);
}

/** So much is kept in one transaction, and is in memory: what breaks off later loses no more. */
const batchBytes = 1024 * 1024;
const batchBlobs = 256;

interface PackPlace {
  database: Database;
  store: BlobStore;
  repository: Repository;
  sourceId: string;
  allowance: Allowance;
}

interface TakenPack {
  /** How many blobs are new in the repository. */
  stored: number;
  /** Those that it had. */
  known: number;
}

/** Keeps the blobs of a pack in the repository, in batches. Only those that the source names are taken, and those that are there stay as they are. */
async function takePack(place: PackPlace, body: Readable): Promise<TakenPack> {
  const taken = { stored: 0, known: 0 };
  let batch = new Map<string, Buffer>();
  let bytes = 0;
  const keep = async () => {
    const stored = await keepBatch(place, batch);
    taken.stored += stored;
    taken.known += batch.size - stored;
    batch = new Map();
    bytes = 0;
  };
  for await (const blob of readPack(body)) {
    batch.set(blob.digest, blob.bytes);
    bytes += blob.bytes.length;
    if (bytes >= batchBytes || batch.size >= batchBlobs) await keep();
  }
  if (batch.size > 0) await keep();
  return taken;
}

/** Answers how many of them the repository did not have. */
async function keepBatch(place: PackPlace, batch: ReadonlyMap<string, Buffer>): Promise<number> {
  const { database, repository, sourceId, allowance } = place;
  const named = await namedBlobs(database.kysely, repository, sourceId, [...batch.keys()]);
  const stray = [...batch.keys()].find((digest) => !named.has(digest));
  if (stray !== undefined) throw notNamed(stray);
  const blobs = [...batch].flatMap(([digest, bytes]) => (named.get(digest) === 'missing' ? [{ digest, bytes }] : []));
  if (blobs.length === 0) return 0;
  await allowance.checkRoom(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
  // A sweep may take one of them between its last byte and its row.
  while (!(await isKept(place, blobs)));
  return blobs.length;
}

async function isKept({ database, store, repository }: PackPlace, blobs: readonly PackedBlob[]): Promise<boolean> {
  const settled = await store.settleBlobs(blobs);
  try {
    return await database.kysely.transaction().execute(async (running) => {
      await recordBlobs(
        running,
        blobs.map(({ digest, bytes }) => ({ digest, size: bytes.length })),
      );
      if (!(await settled.keep())) throw swept;
      await linkBlobs(
        running,
        repository,
        blobs.map(({ digest }) => digest),
      );
      return true;
    });
  } catch (error) {
    if (error === swept) return false;
    throw error;
  } finally {
    // Whatever stays behind is left to sweeps.
    await settled.done().catch(() => undefined);
  }
}

const swept = Symbol('swept');

function notNamed(digest: string): RegistryError {
  return new RegistryError(
    'MANIFEST_BLOB_UNKNOWN',
    `The source does not name ${digest}, so it is not taken: announce the folder again, and send what is missing of it.`,
    { status: 400 },
  );
}

/** Many small blobs of a source in one request: an extension of the protocol, whose paths begin with `_`. */
export const sendPack: RegistryRoute = {
  method: 'POST',
  url: '_ballast/packs/:name',
  // Of people alone: an agent fetches sources, and makes none.
  right: 'tag',
  carriesBlob: true,
  async handle({ server, store, repository, name, request, reply }) {
    const { database, settings } = server;
    const source = isId(name) ? await findSource(database.kysely, repository, name) : undefined;
    if (source === undefined) {
      throw new RegistryError(
        'MANIFEST_UNKNOWN',
        'The service has no such source: one goes a day after its last build. Announce the folder again.',
      );
    }
    const allowance = allowanceOf(database, repository.organizationId, settings);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > mostPackBytes) throw tooLarge();
    await allowance.checkRoom(declared);
    const taken = await takePack({ database, store, repository, sourceId: source.id, allowance }, request.raw);
    return reply.code(200).type('application/json').send(JSON.stringify(taken));
  },
};
