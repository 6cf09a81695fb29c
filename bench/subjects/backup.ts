import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chances } from '../../test/deployments/matrix.ts';
import { type Bucket, startBucket } from '../../test/registry/bucket.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { residentMegabytes } from '../engine/resident-memory.ts';

const fileBytes = 10_000_000;
const files = 200;
const rows = { seconds: `packing ${(files * fileBytes) / 1e9} GB into a store`, memory: 'memory of that' } as const;

/** Half of the files are noise, half of them text. The store is on the same machine, so that no network hides what it costs. */
export const backup: Benchmark = {
  name: 'backup',
  what: 'a volume packed into an object store, against tar, zstd and an upload in parts without a digest and without progress',
  rows: [
    { name: rows.seconds, unit: 's', better: 'less', leastRatio: 0.8 },
    { name: rows.memory, unit: 'MB', better: 'less', most: 250 },
  ],
  rounds: 3,
  open,
};

async function open(): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-bench-backup-'));
  const chance = chances(35);
  for (let number = 0; number < files; number += 1) {
    const bytes = Buffer.alloc(fileBytes);
    if (number % 2 === 0) for (let at = 0; at < fileBytes; at += 4) bytes.writeInt32LE((chance() * 2 ** 32) | 0, at);
    else bytes.fill(`line ${number} of a file that says the same again and again, as logs do\n`);
    writeFileSync(join(directory, `file-${number}`), bytes);
  }
  const bucket = await startBucket('');
  return {
    reference: () => packed(new URL('../reference/packed.ts', import.meta.url), directory, bucket),
    subject: () => packed(new URL('../../agent/volumes/transfer-program.ts', import.meta.url), directory, bucket),
    async [Symbol.asyncDispose]() {
      await bucket.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

async function packed(program: URL, path: string, bucket: Bucket): Promise<Figures> {
  const objectKey = crypto.randomUUID();
  const store = { ...bucket.target, allowedRanges: ['127.0.0.0/8'], certificateAuthorities: '' };
  const begun = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(program)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
    // The program of the agent goes on until its input ends.
    if (said.includes('"stored"')) child.stdin.end();
  });
  child.stdin.write(`${JSON.stringify({ path, objectKey, store })}\n`);
  if (program.pathname.endsWith('packed.ts')) child.stdin.end();
  let memory = 0;
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    memory = Math.max(memory, residentMegabytes(child.pid ?? 0));
    await Promise.race([ended, pause(100)]);
  }
  const seconds = (performance.now() - begun) / 1_000;
  if ((await bucket.client.size(objectKey)) === undefined) throw new Error(`Nothing was stored: ${said}`);
  await bucket.client.delete(objectKey);
  return { [rows.seconds]: seconds, [rows.memory]: memory };
}
