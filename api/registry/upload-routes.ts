import type { FastifyReply, FastifyRequest } from 'fastify';
import { mountBlob } from '../../db/registry/blobs.ts';
import type { Repository, RepositoryPath } from '../../db/registry/repositories.ts';
import { isId } from '../../domain/ids.ts';
import { type Allowance, allowanceOf } from './allowance.ts';
import { checkDigest, chunkRange } from './blob-routes.ts';
import { RegistryError } from './registry-error.ts';
import type { AskedRegistry, RegistryRoute } from './registry-route.ts';
import { type Chunk, placeOf, rangeOf } from './uploads.ts';

/** Begins an upload; with `digest` the body is the whole blob, with `mount` another repository has it already. */
const beginning = {
  method: 'POST',
  right: 'push',
  carriesBlob: true,
  async handle(asked: AskedRegistry) {
    const { uploads, caller, repository, query, request, reply } = asked;
    const { digest, mount, from } = query;
    if (mount !== undefined && from !== undefined && (await isMounted(asked, mount, from))) {
      return created(reply, repository, mount);
    }
    if (digest !== undefined) checkDigest(digest);
    const { id } = await uploads.begin(caller.author, repository);
    if (digest === undefined) return accepted(reply, repository, id, 0);
    await uploads.finish(repository, id, digest, chunkOf(request), allowance(asked)).catch(async (error: unknown) => {
      await uploads.cancel(repository, id).catch(() => undefined);
      throw error;
    });
    return created(reply, repository, digest);
  },
} satisfies Omit<RegistryRoute, 'url'>;

const beginUpload: RegistryRoute = { ...beginning, url: 'blobs/uploads/' };
const beginUploadHere: RegistryRoute = { ...beginning, url: 'blobs/uploads' };

const uploadStatus: RegistryRoute = {
  method: 'GET',
  url: 'blobs/uploads/:name',
  right: 'push',
  async handle({ uploads, repository, name, reply }) {
    checkUpload(name);
    const size = await uploads.size(repository, name);
    return progressed(reply, repository, name, size).code(204).send();
  },
};

const continueUpload: RegistryRoute = {
  method: 'PATCH',
  url: 'blobs/uploads/:name',
  right: 'push',
  carriesBlob: true,
  async handle(asked) {
    const { uploads, repository, name, request, reply } = asked;
    checkUpload(name);
    const size = await uploads.append(repository, name, chunkOf(request), allowance(asked));
    return accepted(reply, repository, name, size);
  },
};

const finishUpload: RegistryRoute = {
  method: 'PUT',
  url: 'blobs/uploads/:name',
  right: 'push',
  carriesBlob: true,
  async handle(asked) {
    const { uploads, repository, name, query, request, reply } = asked;
    checkUpload(name);
    const { digest = '' } = query;
    checkDigest(digest);
    await uploads.finish(repository, name, digest, chunkOf(request), allowance(asked));
    return created(reply, repository, digest);
  },
};

const cancelUpload: RegistryRoute = {
  method: 'DELETE',
  url: 'blobs/uploads/:name',
  right: 'push',
  async handle({ uploads, repository, name, reply }) {
    checkUpload(name);
    await uploads.cancel(repository, name);
    return reply.code(204).send();
  },
};

export const uploadRoutes = [
  beginUpload,
  beginUploadHere,
  uploadStatus,
  continueUpload,
  finishUpload,
  cancelUpload,
] as const;

/** Another repository is as good a source as a push, for those who may pull from it. To others it is not there. */
async function isMounted(
  { server, caller, repository }: AskedRegistry,
  digest: string,
  from: string,
): Promise<boolean> {
  checkDigest(digest);
  const [organization = '', project = '', service = '', ...rest] = from.split('/');
  if (rest.length > 0) return false;
  const source = await readable({ organization, project, service });
  return source !== undefined && (await mountBlob(server.database.kysely, repository, source, digest));

  async function readable(path: RepositoryPath): Promise<Repository | undefined> {
    return await caller.repository(path, 'pull').catch((error: unknown) => {
      if (error instanceof RegistryError) return undefined;
      throw error;
    });
  }
}

function chunkOf({ raw, headers }: FastifyRequest): Chunk {
  const range = chunkRange(headers['content-range']);
  if (range === 'malformed') {
    throw new RegistryError('BLOB_UPLOAD_INVALID', 'The Content-Range must be <first byte>-<last byte>.', {
      status: 416,
    });
  }
  const declared = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  return { body: raw, declared, first: range?.first, length: range && range.last - range.first + 1 };
}

function checkUpload(id: string): void {
  if (isId(id)) return;
  throw new RegistryError('BLOB_UPLOAD_UNKNOWN', 'There is no such upload here; begin another one.');
}

function allowance({ server, repository }: AskedRegistry): Allowance {
  return allowanceOf(server.database, repository.organizationId, server.settings);
}

function progressed(reply: FastifyReply, repository: Repository, id: string, size: number): FastifyReply {
  return reply.headers({ location: placeOf(repository, id), range: rangeOf(size), 'docker-upload-uuid': id });
}

function accepted(reply: FastifyReply, repository: Repository, id: string, size: number): FastifyReply {
  return progressed(reply, repository, id, size).code(202).send();
}

function created(reply: FastifyReply, { path }: Repository, digest: string): FastifyReply {
  return reply
    .code(201)
    .headers({ location: `/v2/${path}/blobs/${digest}`, 'docker-content-digest': digest })
    .send();
}
