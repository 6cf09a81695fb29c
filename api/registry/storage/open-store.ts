import type { Logger } from 'pino';
import type { Database } from '../../../db/postgres/database.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import { S3Client } from '../../../outbound/s3/s3-client.ts';
import { S3Failed } from '../../../outbound/s3/s3-failures.ts';
import type { S3Target } from '../../../outbound/s3/s3-request.ts';
import type { BlobStore } from './blob-store.ts';
import { DiskStore } from './disk-store.ts';
import { BucketWatch, S3Store } from './s3-store.ts';

/** The bucket that the settings name. Their owner may give any address: users never see it, and give none. */
export function bucketOf(settings: Settings): S3Target | undefined {
  const { REGISTRY_S3_BUCKET: bucket, REGISTRY_S3_REGION: region, REGISTRY_S3_PREFIX: prefix } = settings;
  if (bucket === undefined) return undefined;
  return {
    bucket,
    region,
    endpoint: settings.REGISTRY_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    pathStyle: settings.REGISTRY_S3_PATH_STYLE,
    prefix: prefix === '' ? '' : `${prefix.replace(/\/$/, '')}/`,
    accessKeyId: settings.REGISTRY_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: settings.REGISTRY_S3_SECRET_ACCESS_KEY ?? '',
  };
}

/** Why the bucket cannot be used, for the operator; undefined if it can. */
export async function bucketFault(target: S3Target): Promise<string | undefined> {
  const client = new S3Client(target);
  try {
    await client.reach();
    return undefined;
  } catch (error) {
    if (error instanceof S3Failed) return error.message;
    throw error;
  } finally {
    await client.close();
  }
}

/** Where the blobs are, by the settings: a bucket if one is named, otherwise a directory. */
export function openStore(settings: Settings, database: Database, log: Logger): BlobStore {
  const target = bucketOf(settings);
  if (target === undefined) return new DiskStore(settings.REGISTRY_DIRECTORY);
  return new S3Store({ client: new S3Client(target), kysely: database.kysely, watch: new BucketWatch(log) });
}
