import { findBlob, touchLink, unlinkBlob } from '../../db/registry/blobs.ts';
import { isDigest } from '../../db/registry/references.ts';
import { RegistryError } from './registry-error.ts';
import type { AskedRegistry, RegistryRoute } from './registry-route.ts';

interface ByteRange {
  first: number;
  /** Included. */
  last: number;
}

/** The part that a `Range` asks for. Undefined: all of it, as for forms that need not be served. */
function rangeWithin(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const count = Math.min(Number(to), size);
    return count === 0 ? 'unsatisfiable' : { first: size - count, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, last };
}

/** Where a chunk of an upload lies: `<first>-<last>`, without the unit that the specification leaves out, or with it. */
export function chunkRange(header: string | undefined): ByteRange | 'malformed' | undefined {
  if (header === undefined) return undefined;
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d{1,15}|\*))?$/.exec(header) ?? [];
  if (first === undefined || Number(last) < Number(first)) return 'malformed';
  return { first: Number(first), last: Number(last) };
}

/** A blob, or whether it is there: clients ask before they push. */
export const readBlob: RegistryRoute = {
  method: ['GET', 'HEAD'],
  url: 'blobs/:name',
  right: 'pull',
  async handle({ server, store, repository, name, request, reply }) {
    checkDigest(name);
    const { kysely } = server.database;
    const blob = await findBlob(kysely, repository, name);
    if (blob === undefined || (await store.blobSize(name)) !== blob.size) throw unknownBlob(name);
    if (request.method === 'HEAD') await touchLink(kysely, repository, name);
    reply
      .type('application/octet-stream')
      .headers({ 'docker-content-digest': name, etag: `"${name}"`, 'accept-ranges': 'bytes' });
    const range = rangeWithin(request.headers.range, blob.size);
    if (range === 'unsatisfiable') {
      throw new RegistryError('SIZE_INVALID', `The blob has ${blob.size} bytes; the range lies outside of it.`, {
        status: 416,
        headers: { 'content-range': `bytes */${blob.size}` },
      });
    }
    const { first, last } = range ?? { first: 0, last: blob.size - 1 };
    if (range !== undefined) reply.code(206).header('content-range', `bytes ${first}-${last}/${blob.size}`);
    reply.header('content-length', last - first + 1);
    return request.method === 'HEAD' || blob.size === 0 ? reply.send() : reply.send(await store.readBlob(name, range));
  },
};

/** Ends the right of this repository to a blob. Its bytes go once no repository has it. */
export const deleteBlob: RegistryRoute = {
  method: 'DELETE',
  url: 'blobs/:name',
  right: 'delete',
  async handle({ server, repository, name, reply }: AskedRegistry) {
    checkDigest(name);
    const ended = await unlinkBlob(server.database.kysely, repository, name);
    if (ended === 'unknown') throw unknownBlob(name);
    if (ended === 'named') {
      throw new RegistryError(
        'UNSUPPORTED',
        `A manifest of ${repository.path} names the blob ${name}; delete that first.`,
      );
    }
    return reply.code(202).send();
  },
};

export function checkDigest(text: string): void {
  if (isDigest(text)) return;
  throw new RegistryError(
    'DIGEST_INVALID',
    'A digest is sha256: and 64, or sha512: and 128, lower case hexadecimal digits.',
  );
}

function unknownBlob(digest: string): RegistryError {
  return new RegistryError('BLOB_UNKNOWN', `This repository has no blob ${digest}; push it first.`);
}
