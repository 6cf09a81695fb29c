import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { UploadGround } from '../../test/builds/upload-ground.ts';
import { blobOf } from '../../test/registry/registry-client.ts';

const ground = await UploadGround.open();
beforeEach(() => ground.anew());
afterAll(() => ground.close());

test('20,000 files and one of 300 MB are uploaded; of one that changed, one blob is sent', async () => {
  for (let at = 0; at < 20_000 - 1; at += 1) ground.write(`d${at % 100}/f${at}`, `content of ${at}`);
  const piece = randomBytes(1_000_000);
  for (let at = 0; at < 300; at += 1) appendFileSync(join(ground.folder, 'large'), piece);
  const times: string[] = [];
  const timed = async () => {
    const began = performance.now();
    const uploaded = await ground.upload();
    times.push(`${((performance.now() - began) / 1000).toFixed(1)} s`);
    return uploaded;
  };
  const first = await timed();
  expect(first.files).toBe(20_000);
  expect(first.sentBytes).toBeGreaterThan(300_000_000);
  ground.write('d7/f7', 'changed!');
  const second = await timed();
  expect(second.sentBytes).toBe(8);
  const began = performance.now();
  const built = await ground.builtOf(second.sourceId);
  times.push(`${((performance.now() - began) / 1000).toFixed(1)} s`);
  expect([built.size, built.get('d7/f7')]).toEqual([20_000, blobOf('changed!').digest]);
  process.stdout.write(`First upload, second, tar: ${times.join(', ')}\n`);
});
