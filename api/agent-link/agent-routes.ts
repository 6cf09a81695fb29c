import type { FastifyInstance } from 'fastify';
import { bundle, installScript, nodeRuntime, release } from '../agent-releases/release.ts';
import { sourceOfBuild } from '../builds/sources/source-of-build.ts';
import { commandOutput } from '../commands/command-output.ts';
import { commandResult } from '../commands/command-result.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { logBatch } from '../logs/log-batch.ts';
import type { BlobStore } from '../registry/storage/blob-store.ts';
import { credential } from './credential.ts';
import { enrol } from './enrol.ts';
import { heartbeat } from './heartbeat.ts';
import { hello } from './hello.ts';
import { report } from './report.ts';
import { work } from './work.ts';

const routes = [enrol, hello, heartbeat, report, work, commandOutput, commandResult, logBatch, credential];
const downloads = [release, bundle, nodeRuntime, installScript];

/** The protocol between agents and control plane: docs/agent-protocol.md. No part of the API for people. */
export function agentRoutes(
  app: FastifyInstance,
  server: ServerParts,
  clients: ClientAddress,
  blobs: Pick<BlobStore, 'readBlob'>,
): void {
  for (const route of [...routes, ...downloads, sourceOfBuild(blobs)]) route.mount(app, server, clients);
  app.addHook('preClose', async () => server.bell.close());
  app.addHook('onClose', async () => {
    await server.heartbeats.close();
    await server.logReaders.close();
  });
}
