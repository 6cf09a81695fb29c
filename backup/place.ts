import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Settings } from '../domain/settings/settings.ts';
import { PartWriter } from '../outbound/s3/part-writer.ts';
import { S3Client } from '../outbound/s3/s3-client.ts';
import { S3Absent } from '../outbound/s3/s3-failures.ts';
import { errorCode, Refusal } from '../runtime/supervisor/refusal.ts';

/** Where backups are kept: a directory, or a bucket. Keys have slashes. */
export interface BackupStore {
  /** As people gave it. */
  readonly title: string;
  /** The object is there as a whole or not at all. */
  write(key: string, source: Readable): Promise<void>;
  /** Undefined: there is no such object. */
  read(key: string): Promise<Readable | undefined>;
  /** Keys that begin so. */
  list(prefix: string): Promise<string[]>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** `s3://bucket/prefix`, or the path of a directory. */
export function openPlace(given: string, settings: Settings): BackupStore {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?)\/?)?$/.exec(given) ?? [];
  if (bucket !== undefined) return new BucketPlace(given, bucket, prefix, settings);
  if (/^[a-z0-9]+:\/\//.test(given))
    throw new Refusal(`${given} is no place for backups: name a directory, or a bucket as s3://BUCKET/PREFIX.`);
  return new DirectoryPlace(resolve(given));
}

class DirectoryPlace implements BackupStore {
  readonly title: string;

  constructor(path: string) {
    this.title = path;
  }

  async write(key: string, source: Readable): Promise<void> {
    const path = join(this.title, key);
    const draft = `${path}.part`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rm(draft, { force: true });
      await pipeline(source, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
      await rename(draft, path);
      const directory = await open(dirname(path), 'r');
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      source.destroy();
      await rm(draft, { force: true }).catch(() => {});
      throw this.#unusable(error);
    }
  }

  async read(key: string): Promise<Readable | undefined> {
    const path = join(this.title, key);
    const found = await stat(path).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
      throw this.#unusable(error);
    });
    return found?.isFile() ? createReadStream(path, { highWaterMark: 256 * 1024 }) : undefined;
  }

  async list(prefix: string): Promise<string[]> {
    try {
      const found = await readdir(this.title, { recursive: true, withFileTypes: true });
      return found
        .filter((one) => one.isFile() && !one.name.endsWith('.part'))
        .map((one) => relative(this.title, join(one.parentPath, one.name)))
        .filter((key) => key.startsWith(prefix))
        .sort();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw this.#unusable(error);
    }
  }

  async delete(key: string): Promise<void> {
    await rm(join(this.title, key), { force: true });
    // Refused while there is something in it.
    await rmdir(join(this.title, dirname(key))).catch(() => {});
  }

  async close(): Promise<void> {}

  #unusable(error: unknown): unknown {
    const code = errorCode(error);
    // A source that fails tells of itself; a full disk does not say which file it was.
    const own = error instanceof Error && 'path' in error && String(error.path).startsWith(this.title);
    const why: Readonly<Record<string, string>> = {
      ENOSPC: 'its disk is full; free some space',
      EACCES: 'this user may not use it; choose another directory, or run this as a user that may',
      EROFS: 'it cannot be written; choose another directory',
      ENOTDIR: 'it is no directory; choose another one',
      ENOENT: 'it was deleted meanwhile; try again',
    };
    return why[code] === undefined || !(own || code === 'ENOSPC')
      ? error
      : new Refusal(`${this.title} cannot be used for backups: ${why[code]}.`);
  }
}

/** An upload has at most 10,000 parts: this is 320 GB. */
const partBytes = 32 * 1024 * 1024;

class BucketPlace implements BackupStore {
  readonly title: string;
  readonly #client: S3Client;

  constructor(given: string, bucket: string, prefix: string, settings: Settings) {
    const { BACKUP_S3_REGION: region, BACKUP_S3_ENDPOINT: endpoint } = settings;
    const { BACKUP_S3_ACCESS_KEY_ID: accessKeyId, BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw new Refusal(
        `${given} needs an access key: set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY, and BACKUP_S3_ENDPOINT if the bucket is not with AWS.`,
      );
    }
    this.title = given;
    this.#client = new S3Client({
      ...{ bucket, region, accessKeyId, secretAccessKey },
      endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
      pathStyle: endpoint !== undefined,
      prefix: prefix === '' ? '' : `${prefix}/`,
    });
  }

  async write(key: string, source: Readable): Promise<void> {
    const parts: { number: number; etag: string }[] = [];
    const uploadId = await this.#client.beginMultipart(key);
    try {
      const writer = new PartWriter(0, partBytes, async (_, body) => {
        parts.push(await this.#client.putPart(key, uploadId, parts.length + 1, body));
      });
      await pipeline(source, writer);
      await this.#client.completeMultipart(key, uploadId, parts);
    } catch (error) {
      source.destroy();
      await this.#client.abortMultipart(key, uploadId).catch(() => {});
      throw error;
    }
  }

  async read(key: string): Promise<Readable | undefined> {
    try {
      return await this.#client.get(key);
    } catch (error) {
      if (error instanceof S3Absent) return undefined;
      throw error;
    }
  }

  async list(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of this.#client.list(prefix)) keys.push(...page.map(({ key }) => key));
    return keys.sort();
  }

  async delete(key: string): Promise<void> {
    await this.#client.delete(key);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
