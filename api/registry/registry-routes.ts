import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listReferrers, listTags } from '../../db/registry/discovery.ts';
import { defined } from '../../domain/defined.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { pageBy } from '../engine/positions.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { checkDigest, deleteBlob, readBlob } from './blob-routes.ts';
import { manifestRoutes } from './manifest-routes.ts';
import { sendPack } from './packs.ts';
import { admitRegistryCaller } from './registry-caller.ts';
import { RegistryError, sendRegistryError } from './registry-error.ts';
import { type RegistryParts, type RegistryRoute, serveRegistry } from './registry-route.ts';
import type { BlobStore } from './storage/blob-store.ts';
import { sweepRegularly } from './sweep-regularly.ts';
import { uploadRoutes } from './upload-routes.ts';
import { Uploads } from './uploads.ts';

const mostTags = 1_000;
const mostReferrers = 50;

const tags: RegistryRoute = {
  method: 'GET',
  url: 'tags/list',
  right: 'pull',
  async handle({ server, repository, query, reply }) {
    const limit = limitOf(query.n, mostTags);
    const found = await listTags(server.database.kysely, repository, { limit: limit + 1, after: query.last });
    const { items, after: last } = pageBy(found, { limit, after: query.last }, (tag) => tag);
    if (last !== undefined) {
      const next = new URLSearchParams({ n: String(limit), last });
      reply.header('link', `</v2/${repository.path}/tags/list?${next}>; rel="next"`);
    }
    return reply.type('application/json').send(Buffer.from(JSON.stringify({ name: repository.path, tags: items })));
  },
};

const referrers: RegistryRoute = {
  method: 'GET',
  url: 'referrers/:name',
  right: 'pull',
  async handle({ server, repository, name, query, reply }) {
    checkDigest(name);
    const { artifactType } = query;
    const page = { limit: mostReferrers, after: query.last };
    const asked = { subject: name, artifactType, limit: page.limit + 1, after: page.after };
    const found = await listReferrers(server.database.kysely, repository, asked);
    const { items, after: last } = pageBy(found, page, ({ digest }) => digest);
    if (last !== undefined) {
      const next = new URLSearchParams(defined({ artifactType, last }));
      reply.header('link', `</v2/${repository.path}/referrers/${name}?${next}>; rel="next"`);
    }
    if (artifactType !== undefined) reply.header('oci-filters-applied', 'artifactType');
    const manifests = items.map(({ annotations, artifactType: type, ...one }) => ({
      ...one,
      ...(type === '' ? {} : { artifactType: type }),
      ...(annotations === null || Object.keys(annotations).length === 0 ? {} : { annotations }),
    }));
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    // As bytes: to a text the framework would add a charset, and clients compare the type letter by letter.
    return reply.type(mediaType).send(Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests })));
  },
};

const discoveryRoutes = [tags, referrers] as const;

function limitOf(n: string | undefined, most: number): number {
  if (n === undefined) return most;
  if (/^\d{1,9}$/.test(n)) return Math.min(Number(n), most);
  throw new RegistryError('UNSUPPORTED', 'The number n of tags must be a whole number.', { status: 400 });
}

/** The registry of images, by the distribution specification of the OCI: docs/registry.md. No part of the API for people. */
export function registryRoutes(
  app: FastifyInstance,
  server: ServerParts,
  clients: ClientAddress,
  store: BlobStore,
): void {
  const { settings, database } = server;
  const uploads = new Uploads(database, store, settings.REGISTRY_UPLOADS_PER_ORGANIZATION);
  const parts: RegistryParts = { server, clients, store, uploads };
  // By itself: bodies are streams of any type here, and failures have the form of this protocol.
  app.register(async (registry) => {
    registry.removeAllContentTypeParsers();
    registry.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    registry.setErrorHandler((error, request, reply) => sendRegistryError(request, reply, error));
    registry.addHook('onRequest', async (_, reply) => {
      reply.header('docker-distribution-api-version', 'registry/2.0');
    });
    const onRequest = async (request: FastifyRequest) => {
      await admitRegistryCaller(server, clients, request);
      request.admitted = true;
    };
    for (const url of ['/v2', '/v2/']) {
      registry.get(url, { onRequest }, async (_, reply) => reply.type('application/json').send('{}'));
    }
    registry.all('/v2/*', { onRequest, exposeHeadRoute: false }, async (request) => {
      throw new RegistryError(
        request.method === 'GET' || request.method === 'HEAD' ? 'NAME_UNKNOWN' : 'UNSUPPORTED',
        'There is nothing at this path. Repositories are named <organization>/<project>/<service>.',
      );
    });
    for (const route of [readBlob, deleteBlob, ...uploadRoutes, ...manifestRoutes, ...discoveryRoutes, sendPack]) {
      serveRegistry(registry, parts, route);
    }
  });
  sweepRegularly(app, parts);
  app.addHook('onClose', () => store.close());
}
