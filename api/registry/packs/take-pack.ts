import type { Readable } from 'node:stream';
import { namedBlobs } from '../../../db/builds/sources/known-blobs.ts';
import type { Database } from '../../../db/postgres/database.ts';
import { linkBlobs, recordBlobs } from '../../../db/registry/blobs.ts';
import type { Repository } from '../../../db/registry/repositories.ts';
import type { Allowance } from '../allowance.ts';
import { RegistryError } from '../registry-error.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { type PackedBlob, readPack } from './read-pack.ts';

/** So much is kept in one transaction, and is in memory: what breaks off later loses no more. */
const batchBytes = 1024 * 1024;
const batchBlobs = 256;

export interface PackPlace {
  database: Database;
  store: BlobStore;
  repository: Repository;
  sourceId: string;
  allowance: Allowance;
}

export interface TakenPack {
  /** How many blobs are new in the repository. */
  stored: number;
  /** Those that it had. */
  known: number;
}

/** Keeps the blobs of a pack in the repository, in batches. Only those that the source names are taken, and those that are there stay as they are. */
export async function takePack(place: PackPlace, body: Readable): Promise<TakenPack> {
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
