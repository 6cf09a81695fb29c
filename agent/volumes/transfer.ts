import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { PartWriter } from '../../outbound/s3/part-writer.ts';
import type { S3Client, S3Part } from '../../outbound/s3/s3-client.ts';
import { S3Absent, S3Failed } from '../../outbound/s3/s3-failures.ts';
import type { StoredArchive as Stored } from '../../protocol/volume.ts';
import { Refusal } from '../program/refusal.ts';
import { packDirectory, unpackInto } from './archive.ts';

export type StoredArchive = Omit<Stored, 'warnings'>;

export interface Transfer {
  client: S3Client;
  /** Beneath the prefix of the store. */
  objectKey: string;
  /** The directory of a volume; of a restore one that is empty. */
  path: string;
  /** Of the object, in both directions; absent: as fast as it goes. */
  bytesPerSecond?: number | undefined;
  /** Told the bytes of the archive and those of the object, as they pass. */
  passed(archiveBytes: number, objectBytes: number): void;
  signal: AbortSignal;
}

const leastPart = 16 * 1024 * 1024;
/** A store takes 10,000 parts of an object: with these, five terabytes. */
const partBytesAt = (from: number): number => Math.max(leastPart, Math.ceil(from / 1_500));
const mostInVain = 5;

/**
 * Packs a directory into the object. It is there as a whole or not at all: the upload is completed once the last byte of the
 * archive is known to be good, and else aborted.
 */
export async function storeDirectory(transfer: Transfer): Promise<StoredArchive & { warnings: string[] }> {
  const { client, objectKey, path, passed, signal } = transfer;
  const uploadId = await client.beginMultipart(objectKey);
  const parts: S3Part[] = [];
  const [hash, archive, object] = [createHash('sha256'), counter(), counter()];
  try {
    const { bytes, ended } = packDirectory(path, signal);
    const writer = new PartWriter(0, partBytesAt, async (_, body, size) => {
      await paced(transfer, size);
      parts.push(await client.putPart(objectKey, uploadId, parts.length + 1, body));
    });
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    await pipeline(
      bytes,
      (source: AsyncIterable<Buffer>) => archive.count(source, (piece) => passed(piece.length, 0)),
      compress,
      (source: AsyncIterable<Buffer>) =>
        object.count(source, (piece) => {
          hash.update(piece);
          passed(0, piece.length);
        }),
      writer,
      { signal },
    );
    const { warnings } = await ended;
    await client.completeMultipart(objectKey, uploadId, parts);
    return { sha256: hash.digest('hex'), sizeBytes: object.bytes, archiveBytes: archive.bytes, warnings };
  } catch (error) {
    await client.abortMultipart(objectKey, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Unpacks an object into the directory. What is not the archive that was stored is refused; the directory is then of no use. */
export async function fetchDirectory(transfer: Transfer, stored: StoredArchive): Promise<void> {
  const { client, objectKey, path, passed, signal } = transfer;
  const size = await client.size(objectKey);
  if (size === undefined) throw new Refusal('The object of the backup is not in the store any more.');
  const another = new Refusal('The object in the store is not the one that was stored: its bytes are others.');
  if (size !== stored.sizeBytes) throw another;
  const [hash, archive] = [createHash('sha256'), counter()];
  const compressed = counter().count(download(transfer, size), (piece) => {
    hash.update(piece);
    passed(0, piece.length);
  });
  const unpack = (source: AsyncIterable<Buffer>) =>
    unpackInto(
      path,
      archive.count(source, (piece) => {
        if (archive.bytes > stored.archiveBytes) throw another;
        passed(piece.length, 0);
      }),
      signal,
    );
  // One pipeline: a stream that is read to its end beside one counts there as closed too early.
  await pipeline(compressed, createZstdDecompress(), unpack, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw isDecompressionFault(error) ? another : error;
  });
  if (hash.digest('hex') !== stored.sha256 || archive.bytes !== stored.archiveBytes) throw another;
}

function isDecompressionFault(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && /^Z(STD)?_/.test(String(fault.code));
}

/** Goes on where the store broke off, as long as something comes. */
async function* download(transfer: Transfer, size: number): AsyncGenerator<Buffer> {
  const { client, objectKey, signal } = transfer;
  let at = 0;
  for (let inVain = 0; at < size; ) {
    const before = at;
    try {
      const range = { first: at, last: size - 1 };
      for await (const piece of (await client.get(objectKey, range)) as AsyncIterable<Buffer>) {
        if (at + piece.length > size) throw new Refusal('The store answers more than the object has.');
        at += piece.length;
        await paced(transfer, piece.length);
        yield piece;
      }
      if (at < size) throw new S3Failed('The store broke off its answer.', 'broken off');
    } catch (error) {
      inVain = at > before ? 1 : inVain + 1;
      if (!(error instanceof S3Failed) || error instanceof S3Absent || inVain >= mostInVain) throw error;
      await pause(250 * 2 ** inVain, undefined, { signal });
    }
  }
}

function counter() {
  const counted = {
    bytes: 0,
    async *count(source: AsyncIterable<Buffer>, each: (piece: Buffer) => void): AsyncGenerator<Buffer> {
      for await (const piece of source) {
        counted.bytes += piece.length;
        each(piece);
        yield piece;
      }
    },
  };
  return counted;
}

/** Waits until so many bytes more are within the rate. */
async function paced({ bytesPerSecond, signal }: Transfer, bytes: number): Promise<void> {
  if (bytesPerSecond === undefined) return;
  await pause((bytes / bytesPerSecond) * 1_000, undefined, { signal });
}
