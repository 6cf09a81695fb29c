import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { linkFault } from '../../../domain/builds/manifest.ts';
import type { SourceFile } from '../../../domain/builds/source-file.ts';
import type { BlobStore } from '../../registry/storage/blob-store.ts';

type Blobs = Pick<BlobStore, 'readBlob'>;
type FileHeader = Parameters<Pack['entry']>[0];

/** The same files make the same archive, whoever uploaded them, and when. */
const mtime = new Date(0);

/** A tar of the files, in their order. It is read as fast as somebody takes it, a piece of a blob at a time. */
export function sourceArchive(blobs: Blobs, files: readonly SourceFile[]): Readable {
  const archive = pack();
  void fill(archive, blobs, files).catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return Readable.from(archive, { objectMode: false });
}

/** The first link that leads where it may not, with its fault. What a link leads to is in its blob, so the manifest alone does not tell. */
export async function strayLink(
  blobs: Blobs,
  files: readonly SourceFile[],
): Promise<{ path: string; fault: string } | undefined> {
  for (const file of files) {
    if (file.kind !== 'link') continue;
    const target = await targetOf(blobs, file);
    const fault =
      target === undefined ? 'is a link to a path that is no UTF-8; remove it' : linkFault(file.path, target);
    if (fault !== undefined) return { path: file.path, fault };
  }
  return undefined;
}

async function fill(archive: Pack, blobs: Blobs, files: readonly SourceFile[]): Promise<void> {
  for (const file of files) {
    const header = { name: file.path, mtime, uid: 0, gid: 0 };
    if (file.kind === 'link') {
      const linkname = (await targetOf(blobs, file)) ?? '';
      archive.entry({ ...header, type: 'symlink', mode: 0o777, linkname });
      continue;
    }
    const mode = file.kind === 'executable' ? 0o755 : 0o644;
    await write(archive, blobs, file, { ...header, type: 'file', mode, size: file.size });
  }
  archive.finalize();
}

async function write(archive: Pack, blobs: Blobs, { digest, size }: SourceFile, header: FileHeader): Promise<void> {
  if (size === 0) return void archive.entry(header, '');
  const bytes = await blobs.readBlob(digest);
  try {
    await pipeline(bytes, archive.entry(header));
  } finally {
    // The archive may have been given up while the blob was opened.
    bytes.destroy();
  }
}

async function targetOf(blobs: Blobs, { digest, size }: SourceFile): Promise<string | undefined> {
  if (size === 0) return '';
  const bytes = await buffer(await blobs.readBlob(digest));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
