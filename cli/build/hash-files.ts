import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFile } from '../../domain/builds/source-file.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import type { ListedFile } from './list-folder.ts';

const filesAtOnce = 8;
const pieceBytes = 256 * 1024;

/** The files with their digests, in the order in which they were listed. */
export async function hashFiles(
  folder: string,
  files: readonly ListedFile[],
  { onFile, signal }: { onFile?: (bytes: number) => void; signal?: AbortSignal | undefined } = {},
): Promise<SourceFile[]> {
  const hashed: SourceFile[] = [];
  let next = 0;
  const worker = async () => {
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (let at = next++; at < files.length; at = next++) {
      const file = files[at];
      if (file === undefined) return;
      signal?.throwIfAborted();
      const one = await hashFile(folder, file, piece, signal);
      hashed[at] = one;
      onFile?.(one.size);
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, worker));
  return hashed;
}

async function hashFile(
  folder: string,
  { path, kind, target }: ListedFile,
  piece: Buffer,
  signal: AbortSignal | undefined,
): Promise<SourceFile> {
  const hash = createHash('sha256');
  let size = 0;
  if (target !== undefined) {
    hash.update(target);
    size = Buffer.byteLength(target);
  } else {
    const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      const why = code === 'ENOENT' || code === 'ELOOP' ? 'changed meanwhile; run the command again' : unreadable(code);
      throw new UsageError(`${printable(path)} ${why}.`);
    });
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await file.read(piece, 0, piece.length, null);
        if (bytesRead === 0) break;
        hash.update(piece.subarray(0, bytesRead));
        size += bytesRead;
      }
    } finally {
      await file.close();
    }
  }
  return { path, kind, size, digest: `sha256:${hash.digest('hex')}` };
}

function unreadable(code: string): string {
  return `cannot be read (${code}); make it readable, or leave it out by .gitignore`;
}
