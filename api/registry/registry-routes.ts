import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ClientAddress } from '../engine/http/client-address.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { deleteBlob, readBlob } from './blob-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { manifestRoutes } from './manifest-routes.ts';
import { sendPack } from './packs/pack-route.ts';
import { admitRegistryCaller } from './registry-caller.ts';
import { RegistryError, sendRegistryError } from './registry-error.ts';
import { type RegistryParts, serveRegistry } from './registry-route.ts';
import type { BlobStore } from './storage/blob-store.ts';
import { sweepRegularly } from './sweep-regularly.ts';
import { uploadRoutes } from './upload-routes.ts';
import { Uploads } from './uploads.ts';

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
