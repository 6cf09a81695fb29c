import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import type { BackupVolumeBody } from '../../protocol/volume.ts';
import { until } from '../../test/ground/until.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import type { Run } from '../commands/run.ts';
import { Places } from '../drivers/process/places.ts';
import { Volumes } from '../drivers/process/volumes.ts';
import { backupVolume } from './backup-volume.ts';

const volumes = new Volumes(new Places(mkdtempSync(join(temporaryFolder(), 'home-'))));
const path = volumes.path('env/a/b', 'data');
mkdirSync(path, { recursive: true });
const machine = { volumes, whileStill: async () => ({}) };
writeFileSync(join(path, 'noise'), execFileSync('head', ['-c', '60000000', '/dev/urandom'], { maxBuffer: 1e8 }));

describe.skipIf(!bucketsAreThere)('a bucket', () => {
  let bucket: Bucket;
  beforeAll(async () => {
    bucket = await startBucket('backups/');
  });
  afterAll(() => bucket.stop());

  function body(more: Partial<BackupVolumeBody['store']> = {}): BackupVolumeBody {
    const rules = { allowedRanges: ['127.0.0.0/8'], certificateAuthorities: '' };
    const objectKey = `${crypto.randomUUID()}.tar.zst`;
    const store = { ...bucket.target, ...rules, ...more };
    return { kind: 'backup-volume', key: 'env/a/b', volume: 'data', store, objectKey, quiesce: false };
  }

  function running() {
    const [stopping, told]: [AbortController, { archiveBytes: number; storedBytes: number; volumeBytes: number }[]] = [
      new AbortController(),
      [],
    ];
    const run: Run = {
      ...{ id: crypto.randomUUID(), starts: 1, signal: stopping.signal, began: () => undefined },
      output: (_, bytes) => void told.push(JSON.parse(String(bytes))),
    };
    return { run, stopping, told };
  }

  test('a volume is stored by a program of its own, which tells how far it is', async () => {
    const { run, told } = running();
    const asked = body();
    const { stored, ...result } = await backupVolume(asked, run, machine);
    expect(result).toEqual({ outcome: 'done', exitCode: 0 });
    expect(await bucket.client.size(asked.objectKey)).toBe(stored?.sizeBytes);
    expect(stored?.archiveBytes).toBeGreaterThan(60_000_000);
    expect(told[0]).toEqual({ archiveBytes: 0, storedBytes: 0, volumeBytes: expect.any(Number) });
    expect(told[0]?.volumeBytes).toBeGreaterThan(60_000_000);
    expect(JSON.stringify(told)).not.toContain('the-secret');
  });

  test('a cancelled backup leaves no object and no upload', async () => {
    const { run, stopping } = running();
    const asked = { ...body(), bytesPerSecond: 1_000_000 };
    const result = backupVolume(asked, run, machine);
    await until('an upload has begun', async () => (await bucket.uploads()).length > 0);
    stopping.abort();
    expect(await result).toEqual({ outcome: 'cancelled' });
    expect(await bucket.uploads()).toEqual([]);
    expect(await bucket.client.size(asked.objectKey)).toBeUndefined();
  });

  test('the end of an agent is that of its transfers, which leave nothing in the store', async () => {
    const program = fileURLToPath(new URL('./transfer-program.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { store, objectKey } = body();
    child.stdin.write(`${JSON.stringify({ path, store, objectKey, bytesPerSecond: 1_000_000 })}\n`);
    createInterface({ input: child.stdout }).resume();
    await until('an upload has begun', async () => (await bucket.uploads()).length > 0);
    child.stdin.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await bucket.uploads()).toEqual([]);
  });

  test.each<[string, Partial<BackupVolumeBody['store']>, RegExp]>([
    ['a wrong secret', { secretAccessKey: 'hunter2-hunter2' }, /^Writing to the store failed: .*SignatureDoesNotMatch/],
    ['an address that is not allowed', { allowedRanges: [] }, /must be reached by https/],
  ])('%s is said', async (_, more, message) => {
    const result = await backupVolume(body(more), running().run, machine);
    expect(result).toEqual({ outcome: 'failed', message: expect.stringMatching(message) });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  test('a volume that is not there is said', async () => {
    const result = await backupVolume({ ...body(), volume: 'other' }, running().run, machine);
    expect(result).toMatchObject({ outcome: 'failed', message: expect.stringContaining('There is no volume other') });
  });
});
