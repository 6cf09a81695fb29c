import type { Logger } from 'pino';
import type { Database } from '../../../db/postgres/database.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import { S3Client } from '../../../outbound/s3/s3-client.ts';
import type { BlobStore } from './blob-store.ts';
import { BucketWatch } from './bucket-away.ts';
import { bucketOf } from './bucket-of.ts';
import { DiskStore } from './disk-store.ts';
import { S3Store } from './s3-store.ts';

/** Where the blobs are, by the settings: a bucket if one is named, otherwise a directory. */
export function openStore(settings: Settings, database: Database, log: Logger): BlobStore {
  const target = bucketOf(settings);
  if (target === undefined) return new DiskStore(settings.REGISTRY_DIRECTORY);
  return new S3Store({ client: new S3Client(target), kysely: database.kysely, watch: new BucketWatch(log) });
}
