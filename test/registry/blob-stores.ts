import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import type { BlobStore } from '../../api/registry/storage/blob-store.ts';
import { DiskStore } from '../../api/registry/storage/disk-store.ts';
import { BucketWatch, S3Store } from '../../api/registry/storage/s3-store.ts';
import { S3Client } from '../../outbound/s3/s3-client.ts';
import { type FreshDatabase, freshDatabase } from '../ground/fresh-database.ts';
import { type Bucket, startBucket } from './bucket.ts';

/** A storage, and another process's view of the same. */
export interface World {
  store: BlobStore;
  other: BlobStore;
  /** The name of an upload's draft from now on, as `adoptUpload` gives it to the row. */
  rename(name: string, own: string): Promise<void>;
  stop(): Promise<void>;
}

export function onDisk(): World {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-store-'));
  return {
    store: new DiskStore(directory),
    other: new DiskStore(directory),
    rename: async () => undefined,
    stop: async () => rmSync(directory, { recursive: true }),
  };
}

export async function inBucket(): Promise<World & { bucket: Bucket; fresh: FreshDatabase }> {
  const [bucket, fresh] = [await startBucket(), await freshDatabase()];
  const { kysely } = fresh.database;
  const open = () =>
    new S3Store({ client: new S3Client(bucket.target), kysely, watch: new BucketWatch(pino({ level: 'silent' })) });
  const [store, other] = [open(), open()];
  return {
    bucket,
    fresh,
    store,
    other,
    rename: async (name, own) => {
      await kysely.updateTable('registry_draft').set({ name: own }).where('name', '=', name).execute();
    },
    stop: async () => {
      await store.close();
      await other.close();
      await fresh.drop();
      await bucket.stop();
    },
  };
}

export const megabyte = 1024 * 1024;

/** In pieces, as bodies of requests come. */
export function asBody(bytes: Buffer): Readable {
  const size = 64 * 1024;
  const count = Math.ceil(bytes.length / size);
  return Readable.from(Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)));
}
