import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { RegistryRefusal } from '../../agent/images/push/registry-way.ts';
import { RepositoryClient } from '../../agent/images/push/repository-client.ts';
import { mostPackedBlobBytes, packLine } from '../../domain/builds/manifest.ts';
import { RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { tokenWay } from '../image/push-layout.ts';
import { Changed, type MissingFile, type OnSent } from './list-folder.ts';

/** Smaller than a pack may be: progress is told more often, and a connection that breaks costs less. */
const packBytes = 4 * 1024 * 1024;
/** Several packs go at once, also of a folder whose files are all tiny. */
const filesPerPack = 1_000;

interface Pack {
  files: MissingFile[];
  /** Of the whole body. */
  size: number;
}

/** The files in packs, and those that go by themselves. One alone needs no pack. */
export function packsOf(files: readonly MissingFile[]): { packs: Pack[]; alone: MissingFile[] } {
  const packs: Pack[] = [];
  const alone: MissingFile[] = [];
  for (const file of files) {
    if (file.size > mostPackedBlobBytes) {
      alone.push(file);
      continue;
    }
    const size = packLine(file.digest, file.size).length + file.size;
    const last = packs.at(-1);
    if (last === undefined || last.size + size > packBytes || last.files.length >= filesPerPack) {
      packs.push({ files: [file], size });
    } else {
      last.files.push(file);
      last.size += size;
    }
  }
  return packs.length === 1 && packs[0]?.files.length === 1
    ? { packs: [], alone: [...packs[0].files, ...alone] }
    : { packs, alone };
}

const filesAtOnce = 8;
const pieceFiles = 32;

/** Sends a pack, whose files are told as sent once all of them have arrived; before, how many bytes of each are on their way. */
async function pushPack(
  client: RepositoryClient,
  sourceId: string,
  folder: string,
  { files, size }: Pack,
  onSent: OnSent,
): Promise<void> {
  // As a whole before it is sent: a file that has changed is no failure of the connection, after which all would be sent again.
  const contents: Buffer[] = [];
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const some = files.slice(at, at + filesAtOnce);
    contents.push(...(await Promise.all(some.map((file) => contentOf(folder, file)))));
  }
  function* body() {
    onSent(files, () => 0);
    for (let at = 0; at < files.length; at += pieceFiles) {
      const some = files.slice(at, at + pieceFiles);
      yield Buffer.concat(some.flatMap((file, index) => [lineOf(file), contents[at + index] ?? Buffer.alloc(0)]));
      onSent(some, (file) => Math.max(0, file.size - 1));
    }
  }
  await client.putPack(sourceId, () => Readable.from(body(), { objectMode: false }), size);
  onSent(files, (file) => file.size);
}

function lineOf({ digest, size }: MissingFile): Buffer {
  return Buffer.from(packLine(digest, size));
}

/** The content as it was hashed. A file that became something else meanwhile is neither followed nor waited for. */
async function contentOf(folder: string, { path, target, size, digest }: MissingFile): Promise<Buffer> {
  const bytes = target === undefined ? await readFile(join(folder, path), size) : Buffer.from(target);
  if (bytes === undefined || `sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest) {
    throw new Changed(path);
  }
  return bytes;
}

async function readFile(place: string, size: number): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    // A byte more than there should be: one that has grown is another file.
    const bytes = Buffer.alloc(size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) return bytes.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}

const blobsAtOnce = 8;
/** Each has megabytes, and the registry reads and writes files for it. */
const packsAtOnce = 4;
/** Parts of that size carry what is larger: a proxy in front may take no larger bodies. */
export const partBytes = 8 * 1024 * 1024;

interface Pushing {
  onSent?: OnSent;
  signal?: AbortSignal | undefined;
}

/** Pushes the blobs that the source needs into the repository, several requests at once. The first that fails ends the others. */
export async function pushBlobs(
  place: { url: string; token: string; repository: string },
  { folder, sourceId, files }: { folder: string; sourceId: string; files: readonly MissingFile[] },
  { onSent = () => undefined, signal }: Pushing = {},
): Promise<void> {
  const failed = new AbortController();
  const stopping = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const client = new RepositoryClient(tokenWay(place, stopping), place.repository, stopping);
  const { packs, alone } = packsOf(files);
  const takesPacks = packs.length > 0 && (await client.takesPacks(sourceId));
  const left = [
    ...(takesPacks ? packs : []).map((pack) => () => pushPack(client, sourceId, folder, pack, onSent)),
    ...(takesPacks ? alone : files).map(
      (file) => () => push(client, folder, file, (sent) => onSent([file], () => sent)),
    ),
  ];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await next().catch((error: unknown) => {
        left.length = 0;
        failed.abort();
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: takesPacks ? packsAtOnce : blobsAtOnce }, worker));
  // The others ended because of it, or because of Ctrl-C.
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (reasons.length > 0) throw reasons.find(isRefusal) ?? reasons[0];
}

async function push(
  client: RepositoryClient,
  folder: string,
  { path, target, size, digest }: MissingFile,
  sent: (bytes: number) => void,
): Promise<void> {
  const place = join(folder, path);
  try {
    if (target !== undefined) await client.putBlob(() => Buffer.from(target), { digest, size });
    else if ((await stat(place).catch(() => undefined))?.size !== size) throw new Changed(path);
    else if (size <= partBytes) {
      await client.putBlob(() => (size === 0 ? Buffer.alloc(0) : createReadStream(place, { end: size - 1 })), {
        digest,
        size,
      });
    } else {
      await client.pushBlob(place, { digest, size }, ({ sent: so }) => sent(Math.min(so, size - 1)), partBytes);
    }
    sent(size);
  } catch (error) {
    if (!isRefusal(error) || error instanceof Changed) throw error;
    // The registry has read another content than was hashed.
    if (error instanceof RegistryRefusal && error.code === 'DIGEST_INVALID') throw new Changed(path);
    throw new RestRefusal(`${printable(path)} could not be uploaded: ${error.message}`, error.status);
  }
}

function isRefusal(error: unknown): error is RestRefusal | RegistryRefusal {
  return error instanceof RestRefusal || error instanceof RegistryRefusal;
}
