import { createReadStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Refusal } from '../program/refusal.ts';

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
