import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import type { sourceSchema } from '../../api/builds/sources.ts';
import type { SourceFile } from '../../domain/builds/manifest.ts';
import { UsageError } from '../engine/command.ts';
import type { Progress } from '../engine/progress.ts';
import { said } from '../engine/table.ts';
import type { Here } from '../place/here.ts';
import { type ListedFile, listFolder, type MissingFile } from './list-folder.ts';
import { pushBlobs } from './push-blobs.ts';

const filesAtOnce = 8;
const pieceBytes = 256 * 1024;

/** The files with their digests, in the order in which they were listed. */
async function hashFiles(
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
      throw new UsageError(said`${path} ${why}.`);
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

/** The service whose builds it is for. */
interface UploadTarget {
  project: { slug: string };
  service: { id: string; slug: string };
}

export interface Uploading {
  /** Without it nothing is told. */
  progress?: Progress | undefined;
  signal?: AbortSignal | undefined;
  /** Told from step to step what Ctrl-C leaves, in a sentence. */
  leaves?: ((what: string) => void) | undefined;
}

interface UploadedFolder {
  sourceId: string;
  files: number;
  /** Of the files that the registry did not have. */
  sentBytes: number;
}

/**
 * Uploads a folder as a source of builds of the service: what its `.gitignore` and `.dockerignore` leave. Only what no service of
 * the project has is sent, so the same command goes on where it was broken off.
 */
export async function uploadFolder(
  { rest, organization }: Pick<Here, 'rest' | 'organization'>,
  { project, service }: UploadTarget,
  folder: string,
  { progress, signal, leaves }: Uploading = {},
): Promise<UploadedFolder> {
  const root = resolve(folder);
  leaves?.('Nothing was uploaded.');
  progress?.running('folder', 'the folder is read');
  const listed = await listFolder(root, signal);
  const count = { files: 0, bytes: 0 };
  const files = await hashFiles(root, listed, {
    signal,
    onFile: (bytes) => {
      count.files += 1;
      count.bytes += bytes;
      progress?.running('folder', `the folder is read: ${count.files} of ${filesText(listed.length)}`);
    },
  });
  progress?.done('folder', `the folder is read: ${filesText(files.length)}, ${megabytes(count.bytes)}`);
  progress?.running('upload', 'the folder is compared with what is there');
  const asked = signal === undefined ? rest : rest.until(signal);
  const path = `/services/${service.id}/sources`;
  const { source, missing } = await asked.call<z.output<typeof sourceSchema>>('POST', path, { files });
  const blobs = blobsOf(files, listed, new Set(missing));
  const told = toldOf(blobs, { progress, leaves });
  told.onSent([], () => 0);
  const repository = `${organization.slug}/${project.slug}/${service.slug}`;
  const sending = { folder: root, sourceId: source.id, files: blobs };
  await pushBlobs({ ...rest.credential, repository }, sending, { signal, onSent: told.onSent });
  const sentBytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const sent = blobs.length === 0 ? 'nothing new in it' : `${filesText(blobs.length)}, ${megabytes(sentBytes)}`;
  progress?.done('upload', `the folder is uploaded: ${sent}`);
  return { sourceId: source.id, files: files.length, sentBytes };
}

/** One file for each blob that is missing. */
function blobsOf(
  files: readonly SourceFile[],
  listed: readonly ListedFile[],
  missing: ReadonlySet<string>,
): MissingFile[] {
  const blobs = new Map<string, MissingFile>();
  for (const [at, file] of files.entries()) {
    if (missing.has(file.digest)) blobs.set(file.digest, { ...file, target: listed[at]?.target });
  }
  return [...blobs.values()];
}

function toldOf(blobs: readonly MissingFile[], { progress, leaves }: Pick<Uploading, 'progress' | 'leaves'>) {
  const total = blobs.reduce((sum, { size }) => sum + size, 0);
  const arrived = new Map<string, number>();
  const whole = new Set<string>();
  let bytes = 0;
  return {
    onSent(files: readonly MissingFile[], sentOf: (file: MissingFile) => number) {
      for (const file of files) {
        const sent = sentOf(file);
        bytes += sent - (arrived.get(file.digest) ?? 0);
        if (sent === file.size) whole.add(file.digest);
        else whole.delete(file.digest);
        arrived.set(file.digest, sent);
      }
      const amounts = `${whole.size} of ${filesText(blobs.length)}, ${megabytes(bytes)} of ${megabytes(total)}`;
      progress?.running('upload', `the folder is uploaded: ${amounts}`);
      const rest = blobs.length - whole.size;
      leaves?.(
        rest === 0
          ? 'The folder was uploaded; nothing was built of it.'
          : `${filesText(rest)} of ${blobs.length} are left to upload; the same command goes on there.`,
      );
    },
  };
}

function filesText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
