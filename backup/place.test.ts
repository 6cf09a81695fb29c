import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readSettings } from '../domain/settings/settings.ts';
import { bucketsAreThere, startBucket } from '../test/registry/bucket.ts';
import { openPlace } from './place.ts';

test.runIf(bucketsAreThere)(
  'a bucket keeps what a directory keeps, in parts if it is large, and nothing of what failed',
  async () => {
    const bucket = await startBucket('');
    try {
      const { endpoint, accessKeyId, secretAccessKey } = bucket.target;
      const settings = readSettings({
        BACKUP_S3_ENDPOINT: endpoint,
        BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
        BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
      });
      const there = openPlace('s3://pushed/backups/main', settings);
      const large = Buffer.alloc(40 * 1024 * 1024, 7);
      await there.write('x/large', Readable.from([large.subarray(0, 33_000_000), large.subarray(33_000_000)]));
      expect((await buffer((await there.read('x/large')) ?? Readable.from([]))).equals(large)).toBe(true);
      expect(await bucket.keys()).toEqual(['backups/main/x/large']);
      const failing = Readable.from(
        (async function* () {
          yield large;
          throw new Error('The source is gone.');
        })(),
      );
      await expect(there.write('x/failed', failing)).rejects.toThrow('The source is gone.');
      expect([await there.list('x/'), await bucket.uploads()]).toEqual([['x/large'], []]);
      expect(await there.read('x/absent')).toBe(undefined);
      await there.delete('x/large');
      expect(await there.list('')).toEqual([]);
      await there.close();
    } finally {
      await bucket.stop();
    }
  },
);
