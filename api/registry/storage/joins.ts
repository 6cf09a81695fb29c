import type { DraftPart } from '../../../db/registry/table.ts';
import { leastPartBytes, type S3Client, type S3Part } from '../../../outbound/s3/s3-client.ts';

/** Pieces that become one part of a multipart upload. */
type Join<Piece> = readonly [Piece, ...Piece[]];

/**
 * Puts neighbours together so that each join is as large as S3 wants parts to be; the last one may be smaller. One piece
 * by itself is copied within the bucket, several have to be read.
 */
function joinsOf<Piece extends { bytes: number }>(pieces: readonly Piece[]): Join<Piece>[] {
  const joins: Join<Piece>[] = [];
  let open: Piece[] = [];
  let bytes = 0;
  const close = () => {
    const [first, ...others] = open;
    if (first !== undefined) joins.push([first, ...others]);
    open = [];
    bytes = 0;
  };
  for (const piece of pieces) {
    open.push(piece);
    bytes += piece.bytes;
    if (bytes >= leastPartBytes) close();
  }
  close();
  return joins;
}

/** So many parts are copied at once. One that has to be read is below 14 MB. */
const atOnce = 4;

/** Makes one object of parts of a draft. Nothing is to be seen under the key before all of it is there. */
export async function joinBlob(client: S3Client, key: string, parts: readonly DraftPart[]): Promise<void> {
  const [first, ...others] = parts;
  if (first === undefined) return await client.put(key, { pieces: [] });
  if (others.length === 0) return await client.copy(first.object, key);
  const uploadId = await client.beginMultipart(key);
  try {
    const waiting = [...joinsOf(parts).entries()];
    const stored: S3Part[] = [];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, join] = next;
        stored.push(await joinPart(client, { key, uploadId, number: index + 1 }, join));
      }
    };
    await allEnded(Array.from({ length: atOnce }, work), () => waiting.splice(0));
    await client.completeMultipart(key, uploadId, stored);
  } catch (error) {
    await client.abortMultipart(key, uploadId).catch(() => undefined);
    throw error;
  }
}

interface UploadPart {
  key: string;
  uploadId: string;
  number: number;
}

async function joinPart(
  client: S3Client,
  { key, uploadId, number }: UploadPart,
  join: Join<DraftPart>,
): Promise<S3Part> {
  const [first, ...others] = join;
  if (others.length === 0) return await client.copyPart(key, uploadId, number, first.object);
  const pieces: Buffer[] = [];
  for (const { object } of join) {
    for await (const piece of await client.get(object)) pieces.push(piece as Buffer);
  }
  return await client.putPart(key, uploadId, number, { pieces });
}

/** Waits for all of them, so that nothing is stored after an upload was aborted; a failure of one ends the others early. */
async function allEnded(works: readonly Promise<void>[], stop: () => void): Promise<void> {
  const ends = await Promise.allSettled(
    works.map((work) =>
      work.catch((error: unknown) => {
        stop();
        throw error;
      }),
    ),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Does the work for each, so many at once. It has ended for all that it began when this answers; after a failure none is begun. */
export async function severalAtOnce<T>(
  atOnce: number,
  things: Iterable<T>,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const left = things[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const first = ends.find((end) => end.status === 'rejected');
  if (first !== undefined) throw first.reason;
}
