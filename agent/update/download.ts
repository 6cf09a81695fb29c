import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { SpreadBackOff } from '../link/back-off.ts';
import type { Client } from '../link/client.ts';
import { LinkFailure } from '../link/link-failure.ts';
import { pause } from '../link/pause.ts';
import { Refusal } from '../program/refusal.ts';

/** A bundle as the control plane names it. */
export interface Wanted {
  digest: string;
  sizeBytes: number;
}

const largestBundle = 256 * 1024 * 1024;

/** Gets a bundle into a file, going on where an earlier attempt was cut off, and verifies size and digest. */
export async function download(client: Client, wanted: Wanted, path: string, signal: AbortSignal): Promise<void> {
  if (wanted.sizeBytes > largestBundle) {
    throw new Refusal(`The release is said to have ${wanted.sizeBytes} bytes, more than a release can have.`);
  }
  const backOff = new SpreadBackOff();
  while (sizeOf(path) < wanted.sizeBytes) {
    signal.throwIfAborted();
    try {
      await append(client, wanted, path, signal);
    } catch (error) {
      const mayPass = error instanceof LinkFailure ? error.kind === 'unreachable' : isCutOff(error);
      if (!mayPass || signal.aborted) throw error;
      await pause(backOff.next(), signal);
    }
  }
  const found = sizeOf(path) === wanted.sizeBytes ? await digestOf(path) : 'of another size';
  if (found === wanted.digest) return;
  await rm(path, { force: true });
  throw new Refusal(`The downloaded release is not the one that was named (it is ${found}); nothing was changed.`);
}

async function append(client: Client, wanted: Wanted, path: string, signal: AbortSignal): Promise<void> {
  const { resumed, bytes } = await client.bundle(wanted.digest, sizeOf(path), signal);
  const file = await open(path, resumed ? 'a' : 'w', 0o600);
  try {
    for await (const part of bytes as AsyncIterable<Buffer>) {
      if ((await file.stat()).size + part.length > wanted.sizeBytes) {
        bytes.destroy();
        await file.truncate(0);
        throw new Refusal('The control plane sends more than the release has; nothing was changed.');
      }
      await file.write(part);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(String(error.code))
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
