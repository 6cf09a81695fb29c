import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { pause, SpreadBackOff } from '../link/back-off.ts';
import type { Client } from '../link/client.ts';
import { LinkFailure } from '../link/link-failure.ts';
import { Refusal } from '../program/refusal.ts';

/** A bundle as the control plane names it. */
interface ExpectedBundle {
  digest: string;
  sizeBytes: number;
}

const largestBundle = 256 * 1024 * 1024;

/** Gets a bundle into a file, going on where an earlier attempt was cut off, and verifies size and digest. */
export async function download(
  client: Client,
  wanted: ExpectedBundle,
  path: string,
  signal: AbortSignal,
): Promise<void> {
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

async function append(client: Client, wanted: ExpectedBundle, path: string, signal: AbortSignal): Promise<void> {
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

/** How a release of the agent is called: `ballast-agent:<version>-<first 12 digits of the bundle's digest>`. */
export function imageName(version: string, digest: string): string {
  return `ballast-agent:${version}-${shortDigest(digest)}`;
}

export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}

const largestFile = 128 * 1024 * 1024;

/**
 * Unpacks a verified bundle into a directory that is there whole or not at all. A bundle is a few plain files in one
 * directory: anything else in it is refused.
 */
export async function unpackBundle(path: string, directory: string, digest: string): Promise<void> {
  const draft = `${directory}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  try {
    const entries = extract();
    const unpacked = pipeline(createReadStream(path), createGunzip(), entries);
    // Looked at below by awaiting it; here only so that it is never a rejection that nobody waits for.
    unpacked.catch(() => {});
    let total = 0;
    for await (const entry of entries) {
      const { name, type, mode = 0 } = entry.header;
      if (type !== 'file' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(name)) {
        throw new Refusal(
          `The release holds "${name.slice(0, 100)}", which is not a plain file; the release is not used.`,
        );
      }
      const parts: Buffer[] = [];
      for await (const part of entry as AsyncIterable<Buffer>) {
        total += part.length;
        if (total > largestFile) throw new Refusal('The release is larger than a release can be; it is not used.');
        parts.push(part);
      }
      writeFileSync(join(draft, name), Buffer.concat(parts), {
        mode: mode & 0o111 ? 0o755 : 0o644,
        flag: 'wx',
        flush: true,
      });
    }
    await unpacked;
    writeFileSync(join(draft, 'digest'), `${digest}\n`, { flag: 'wx', flush: true });
    rmSync(directory, { recursive: true, force: true });
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}
