import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

export interface ArchivedFile {
  name: string;
  bytes: Buffer;
  executable: boolean;
}

/** Each file once: programs that are compiled apart may share a chunk, which has the same name then and the same bytes. */
export function once(files: readonly ArchivedFile[]): ArchivedFile[] {
  const byName = new Map<string, ArchivedFile>();
  for (const file of files) {
    const other = byName.get(file.name);
    if (other !== undefined && !other.bytes.equals(file.bytes)) {
      throw new Error(
        `Two files of the bundle are called ${file.name}, but they stand side by side in it; rename one.`,
      );
    }
    byName.set(file.name, file);
  }
  return [...byName.values()];
}

/** A tar of these files in this order, with nothing in it that changes from time to time. */
export async function archive(files: readonly ArchivedFile[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, bytes, executable } of files) {
    tar.entry({ name, mode: executable ? 0o755 : 0o644, mtime: new Date(0), uid: 0, gid: 0 }, bytes);
  }
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** The same, compressed. */
export async function gzippedArchive(files: readonly ArchivedFile[]): Promise<Buffer> {
  const bytes = gzipSync(await archive(files), { level: 9 });
  // The operating system that made it stands in the header of gzip and says nothing.
  bytes[9] = 255;
  return bytes;
}
