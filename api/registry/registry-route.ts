import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Repository } from '../../db/registry/repositories.ts';
import { bodyLasts } from '../engine/http/broken-requests.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { admitRegistryCaller, type RegistryCaller, type Right } from './registry-caller.ts';
import { RegistryError } from './registry-error.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { Uploads } from './uploads.ts';

/** The parts of the registry in this process. */
export interface RegistryParts {
  server: ServerParts;
  clients: ClientAddress;
  store: BlobStore;
  uploads: Uploads;
}

export interface AskedRegistry extends RegistryParts {
  caller: RegistryCaller;
  repository: Repository;
  /** The last part of the path: a digest, a tag or the id of an upload. */
  name: string;
  query: Readonly<Record<string, string | undefined>>;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface RegistryRoute {
  method: HTTPMethods | HTTPMethods[];
  /** Beneath the repository's path. */
  url: string;
  /** By the last part of the path, where that decides. */
  right: Right | ((name: string) => Right);
  /** Its body can be as large as a blob, and takes its time. */
  carriesBlob?: true;
  handle: (asked: AskedRegistry) => Promise<FastifyReply>;
}

/** Who asks and what that one may do is decided before the body is read. */
export function serveRegistry(app: FastifyInstance, parts: RegistryParts, route: RegistryRoute): void {
  const { server, clients } = parts;
  const admitted = new WeakMap<FastifyRequest, { caller: RegistryCaller; repository: Repository }>();
  app.route({
    method: route.method,
    url: `/v2/:organization/:project/:service/${route.url}`,
    exposeHeadRoute: false,
    config: route.carriesBlob === undefined ? {} : { uncounted: true },
    onRequest: async (request) => {
      const caller = await admitRegistryCaller(server, clients, request);
      request.admitted = true;
      const { organization = '', project = '', service = '', name = '' } = paramsOf(request);
      const right = typeof route.right === 'function' ? route.right(name) : route.right;
      const repository = await caller.repository({ organization, project, service }, right);
      admitted.set(request, { caller, repository });
      if (route.carriesBlob) request.raw.once('close', bodyLasts(request.raw.socket));
    },
    handler: async (request, reply) => {
      const known = admitted.get(request);
      if (known === undefined) throw new Error('The request was not admitted.');
      const { name = '' } = paramsOf(request);
      return await route.handle({ ...parts, ...known, name, query: queryOf(request), request, reply });
    },
  });
}

function paramsOf({ params }: FastifyRequest): Readonly<Record<string, string | undefined>> {
  return params as Record<string, string | undefined>;
}

function queryOf({ query }: FastifyRequest): Readonly<Record<string, string | undefined>> {
  for (const [key, value] of Object.entries(query as Record<string, unknown>)) {
    if (typeof value === 'string') continue;
    throw new RegistryError('UNSUPPORTED', `The query names ${key} more than once; name it once.`, { status: 400 });
  }
  return query as Record<string, string>;
}
