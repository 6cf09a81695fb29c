import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { type Missing, putManifest } from '../../db/registry/manifests.ts';
import {
  readManifest as findManifest,
  isDigest,
  deleteManifest as removeManifest,
  tagPattern,
} from '../../db/registry/references.ts';
import { cleanText } from '../agent-link/clean-text.ts';
import { allowanceOf } from './allowance.ts';
import { largestManifest, type ManifestDocument, readDocument } from './manifest-document.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryRoute } from './registry-route.ts';
import type { BlobStore } from './storage/blob-store.ts';

/** Larger configurations are kept as blobs like any other, and nothing is read from them. */
const largestConfig = 1024 * 1024;

const readManifest: RegistryRoute = {
  method: ['GET', 'HEAD'],
  url: 'manifests/:name',
  right: 'pull',
  async handle({ server, repository, name, request, reply }) {
    // No check of the name first: one that no manifest can have is one that none has, as clients that look for it expect.
    const found = await findManifest(server.database.kysely, repository, name);
    if (found === undefined) throw unknownManifest(name);
    const { digest, mediaType, size, content } = found;
    reply
      .type(mediaType)
      .headers({ 'docker-content-digest': digest, etag: `"${digest}"`, 'content-length': String(size) });
    return request.method === 'HEAD' ? reply.send() : reply.send(content);
  },
};

const putManifestHere: RegistryRoute = {
  method: 'PUT',
  url: 'manifests/:name',
  right: (name) => (isDigest(name) ? 'push' : 'tag'),
  async handle({ server, store, caller, repository, name, request, reply }) {
    checkReference(name);
    const content = await bodyOf(request);
    const document = readDocument(content, request.headers['content-type']);
    const digest = digestOf(content, name);
    const tag = isDigest(name) ? undefined : name;
    await allowanceOf(server.database, repository.organizationId, server.settings).check(0, content.length);
    const config = await configOf(store, document);
    const { REGISTRY_MANIFESTS_PER_REPOSITORY } = server.settings;
    await effect(server.database, caller.author, async (running) => {
      const pushed = { ...document, digest, content, tag, config };
      const missing = await putManifest(running, repository, pushed, REGISTRY_MANIFESTS_PER_REPOSITORY);
      if (missing !== undefined) throw incomplete(missing);
    });
    if (document.subject !== undefined) reply.header('oci-subject', document.subject);
    return reply
      .code(201)
      .headers({ location: `/v2/${repository.path}/manifests/${digest}`, 'docker-content-digest': digest })
      .send();
  },
};

const deleteManifest: RegistryRoute = {
  method: 'DELETE',
  url: 'manifests/:name',
  right: 'delete',
  async handle({ server, caller, repository, name, reply }) {
    checkReference(name);
    const ended = await effect(server.database, caller.author, (running) => removeManifest(running, repository, name));
    if (ended === 'unknown') throw unknownManifest(name);
    if (ended === 'pinned') {
      throw new RegistryError(
        'DENIED',
        `A release deploys the image ${name}, or a list with it; it can be deleted when the last such release is retired.`,
      );
    }
    return reply.code(202).send();
  },
};

export const manifestRoutes = [readManifest, putManifestHere, deleteManifest] as const;

/** By the algorithm of the digest that it is pushed under. */
function digestOf(content: Buffer, reference: string): string {
  const algorithm = reference.startsWith('sha512:') ? 'sha512' : 'sha256';
  const digest = `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
  if (isDigest(reference) && reference !== digest) {
    throw new RegistryError('DIGEST_INVALID', `The manifest has the digest ${digest} and not ${reference}.`);
  }
  return digest;
}

/** The configuration as rows keep it: how the image starts is asked for where its blobs cannot be read. */
async function configOf(store: BlobStore, { config }: ManifestDocument): Promise<JsonObject | undefined> {
  if (config === undefined || config.size > largestConfig) return undefined;
  if ((await store.blobSize(config.digest)) !== config.size) return undefined;
  // Outside of what is caught: a storage that is away makes no image one without a configuration.
  const content = await buffer(await store.readBlob(config.digest));
  try {
    const json: unknown = cleanText(JSON.parse(content.toString('utf8')));
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

async function bodyOf({ raw, headers }: FastifyRequest): Promise<Buffer> {
  const tooLarge = () =>
    new RegistryError('MANIFEST_INVALID', `A manifest may have at most ${largestManifest} bytes.`, { status: 413 });
  if (Number(headers['content-length'] ?? 0) > largestManifest) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of raw.iterator({ destroyOnReturn: false })) {
    size += piece.length;
    if (size > largestManifest) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function incomplete({ kind, digest, why }: Missing): RegistryError {
  if (why === 'size')
    return new RegistryError('MANIFEST_INVALID', `The ${kind} ${digest} has another size than the manifest says.`);
  return new RegistryError(
    'MANIFEST_BLOB_UNKNOWN',
    `The manifest names the ${kind} ${digest}, which this repository does not have; push that first.`,
  );
}

function checkReference(reference: string): void {
  if (isDigest(reference) || tagPattern.test(reference)) return;
  if (reference.includes(':'))
    throw new RegistryError('DIGEST_INVALID', 'The manifest is not named by a digest of sha256 or sha512.');
  throw new RegistryError('MANIFEST_INVALID', 'A tag has 1 to 128 letters, digits, dots, hyphens and underscores.', {
    status: 400,
  });
}

function unknownManifest(reference: string): RegistryError {
  return new RegistryError('MANIFEST_UNKNOWN', `This repository has no manifest ${reference}.`);
}
