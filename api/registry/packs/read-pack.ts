import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { longestPackLine, mostPackBytes, mostPackedBlobBytes, readPackLine } from '../../../domain/builds/pack.ts';
import { RegistryError } from '../registry-error.ts';

/** A blob as a whole, verified. */
export interface PackedBlob {
  digest: string;
  bytes: Buffer;
}

/**
 * The blobs of a pack as they come, each with its digest verified. No more than a blob and a piece of the body is in memory. After a failure the
 * body is not read to its end: the client still gets its answer.
 */
export async function* readPack(body: Readable): AsyncGenerator<PackedBlob, void, undefined> {
  let total = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    total += piece.length;
    if (total > mostPackBytes) throw tooLarge();
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (;;) {
      const found = firstOf(rest);
      if (found === undefined) break;
      rest = rest.subarray(found.end);
      yield verified(found);
    }
  }
  if (rest.length > 0) throw malformed('ends in the middle of a blob');
}

export function tooLarge(): RegistryError {
  return new RegistryError('SIZE_INVALID', `A pack has at most ${mostPackBytes} bytes; send several.`, { status: 413 });
}

/** The first blob, if all of it is there. */
function firstOf(bytes: Buffer): (PackedBlob & { end: number }) | undefined {
  if (bytes.length === 0) return undefined;
  const length = bytes.subarray(0, longestPackLine).indexOf(0x0a);
  if (length === -1) {
    if (bytes.length < longestPackLine) return undefined;
    throw noLine();
  }
  const line = readPackLine(bytes.toString('latin1', 0, length));
  if (line === undefined) throw noLine();
  const end = length + 1 + line.size;
  return bytes.length < end ? undefined : { digest: line.digest, bytes: bytes.subarray(length + 1, end), end };
}

function verified({ digest, bytes }: PackedBlob): PackedBlob {
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found === digest) return { digest, bytes };
  throw new RegistryError('DIGEST_INVALID', `The content has the digest ${found} and not ${digest}; send it again.`);
}

function noLine(): RegistryError {
  return malformed(
    `has no line before a blob of the form sha256:<digits> <bytes>, of at most ${mostPackedBlobBytes} bytes; push a larger blob by itself`,
  );
}

function malformed(fault: string): RegistryError {
  return new RegistryError('BLOB_UPLOAD_INVALID', `The pack ${fault}.`);
}
