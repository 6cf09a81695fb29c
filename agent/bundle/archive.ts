import { pack } from 'tar-stream';

export interface ArchivedFile {
  name: string;
  bytes: Buffer;
  executable: boolean;
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
