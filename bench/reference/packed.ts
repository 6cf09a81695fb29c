/** `node packed.ts`: the job of a line of its standard input, as bare as it can be: tar, zstd, and an upload in parts. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import type { TransferJob } from '../../agent/volumes/transfer-program.ts';
import { openGivenBucket } from '../../outbound/s3/given-bucket.ts';

const partBytes = 16 * 1024 * 1024;

const { path, objectKey, store } = JSON.parse(await text(process.stdin)) as TransferJob;
const { allowedRanges, certificateAuthorities, ...target } = store;
const client = openGivenBucket(target, { allowedRanges, certificateAuthorities });
const uploadId = await client.beginMultipart(objectKey);
const parts: Awaited<ReturnType<typeof client.putPart>>[] = [];
const tar = spawn('tar', ['--create', '--file=-', `--directory=${path}`, '.'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
await pipeline(tar.stdout, createZstdCompress(), async (source: AsyncIterable<Buffer>) => {
  let pieces: Buffer[] = [];
  let size = 0;
  const put = async () => {
    const body = { pieces };
    [pieces, size] = [[], 0];
    parts.push(await client.putPart(objectKey, uploadId, parts.length + 1, body));
  };
  for await (const piece of source) {
    pieces.push(piece);
    size += piece.length;
    if (size >= partBytes) await put();
  }
  await put();
});
await client.completeMultipart(objectKey, uploadId, parts);
await client.close();
