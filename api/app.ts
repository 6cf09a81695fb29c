import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { Heartbeats } from '../db/agents/heartbeats.ts';
import { LastUsed } from '../db/credentials/last-used.ts';
import { FeedListener } from '../db/engine/feed/feed-listener.ts';
import { pokeReaders } from '../db/engine/feed/poke-readers.ts';
import { releaseStreamsOf } from '../db/engine/limits/leases.ts';
import type { Keyring } from '../db/keys/keys.ts';
import type { Database } from '../db/postgres/database.ts';
import { Room } from '../db/postgres/room.ts';
import type { Settings } from '../domain/settings/settings.ts';
import { programVersion } from '../domain/version.ts';
import { outboundRules } from '../outbound/rules.ts';
import type { Temporal } from '../temporal/connection/connect.ts';
import type { Delivery } from '../temporal/delivery/delivery.ts';
import { agentRoutes } from './agent-link/agent-routes.ts';
import { Bell } from './agent-link/bell.ts';
import type { AgentProgram } from './agent-releases/agent-program.ts';
import { providerOf } from './auth/provider.ts';
import { BuildLogs } from './builds/build-logs.ts';
import { type ClientProgram, clientRoutes } from './client/client-routes.ts';
import { Cancellations } from './commands/command.ts';
import { ConsoleFiles, reserveAddresses } from './console/console-files.ts';
import { ProgressReaders } from './deployments/progress-readers.ts';
import { readJsonBodies } from './engine/http/body.ts';
import { answerBrokenRequest } from './engine/http/broken-requests.ts';
import { clientAddress } from './engine/http/client-address.ts';
import { boundConnections, Connections } from './engine/http/connections.ts';
import { discardUnreadBodies } from './engine/http/discard.ts';
import { greet } from './engine/http/greeting.ts';
import { sendProblem } from './engine/http/problem-reply.ts';
import { requestIds } from './engine/http/request-id.ts';
import { requestLog } from './engine/http/request-log.ts';
import { securityHeaders } from './engine/http/security-headers.ts';
import { answerUnknownRoutes } from './engine/http/unknown-routes.ts';
import { KnownCredentials } from './engine/limits/known-credentials.ts';
import { RateLimiter } from './engine/limits/rate-limit.ts';
import { Turns } from './engine/limits/turns.ts';
import { type OpenapiDocument, openapiDocument } from './engine/openapi/document.ts';
import { namedOperations, type Registry } from './engine/registry.ts';
import { restRoutes } from './engine/rest.ts';
import type { ServerParts } from './engine/server/server-parts.ts';
import { type Clocks, specifiedClocks } from './engine/streams/clocks.ts';
import { Hub } from './engine/streams/hub.ts';
import { webhookRoutes } from './git-webhooks/webhook-routes.ts';
import { Disks, disksOf } from './health/disks.ts';
import { healthRoutes } from './health/health-routes.ts';
import { createMetrics } from './health/metrics.ts';
import { readiness } from './health/readiness.ts';
import { watchDownPart } from './health/watch-down-part.ts';
import { batchesChannel, LogReaders, readersChannel } from './logs/log-readers.ts';
import { operations } from './operations.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import { registryRoutes } from './registry/registry-routes.ts';
import { openStore } from './registry/storage/open-store.ts';
import { pageRoutes } from './sign-in/page-routes.ts';
import { providerProxy } from './sign-in/provider-proxy.ts';
import { IssuerKeys } from './token-exchange/issuer-keys.ts';
import { trpcRoutes } from './trpc-routes.ts';
import { readReleases } from './version/operations.ts';

export interface AppParts {
  settings: Settings;
  database: Database;
  keyring: Pick<
    Keyring,
    'cursorKey' | 'identityKey' | 'payloadKey' | 'encryptSecret' | 'decryptSecret' | 'derivedSecret' | 'secretHeader'
  >;
  temporal: Pick<Temporal, 'reachable' | 'connection' | 'namespace'>;
  delivery: Pick<Delivery, 'deliver'>;
  log: Logger;
  /** How long things last on streams; shortened by tests. */
  clocks?: Clocks;
  processId?: string;
  /** The agent as it is served to machines; without it none can be installed or updated from here. */
  agentProgram?: AgentProgram;
  /** The command line as it is given away; without it nothing is. */
  clientProgram?: ClientProgram;
  /** The console; without it its pages say that it is being built. */
  consoleFiles?: ConsoleFiles;
  /** The operations to serve; tests add operations of their own. */
  operations?: Registry;
}

/** How long the headers of a request may take to arrive. */
const longestHeaders = 15_000;
/** How long a connection may be silent: longer than any wait for work and any pause of a stream. */
const longestSilence = 120_000;

/** The HTTP server with everything it serves, not listening yet. Closing it ends its streams and stops the feed. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const { settings, database, log } = parts;
  const outbound = await outboundRules(settings);
  const hub = new Hub();
  const clocks = parts.clocks ?? specifiedClocks;
  const bell = new Bell();
  const logReaders = new LogReaders({ database, keyring: parts.keyring, bell, log });
  const feed = new FeedListener({
    database,
    onEntries: (entries) => {
      bell.entries(entries);
      hub.entries(entries);
    },
    onResync: (organizationIds) => {
      bell.resync();
      hub.resync(organizationIds);
    },
    onWarning: (what) => log.warn({ what }, 'Change feed'),
    // One connection listens for everything that this process is told of.
    beside: { channels: [readersChannel, batchesChannel], heard: (channel) => logReaders.heard(channel) },
  });
  const registry = parts.operations ?? operations;
  const named = namedOperations(registry);
  let document: OpenapiDocument | undefined;
  const openapi = () => (document ??= openapiDocument(named, programVersion, settings));
  const server: ServerParts = {
    settings,
    database,
    keyring: parts.keyring,
    temporal: parts.temporal,
    lastUsed: new LastUsed(database),
    provider: providerOf(settings, parts.keyring, log),
    hub,
    progress: new ProgressReaders({
      ...{ database, hub, rereadMillis: clocks.reread },
      onError: (error) => log.warn({ err: error }, 'Deployments on streams could not be read'),
    }),
    buildLogs: new BuildLogs({
      ...{ database, keyring: parts.keyring, hub, rereadMillis: clocks.reread },
      onError: (error) => void log.warn({ err: error }, 'Builds whose logs are followed could not be read'),
    }),
    bell,
    logReaders,
    cancellations: new Cancellations(),
    heartbeats: new Heartbeats(database),
    agentProgram: parts.agentProgram,
    clientProgram: parts.clientProgram,
    consoleFiles: parts.consoleFiles ?? new ConsoleFiles(),
    rates: new RateLimiter(database.kysely),
    known: new KnownCredentials(),
    turns: new Turns(settings.DATABASE_POOL),
    outbound,
    issuerKeys: new IssuerKeys(outbound),
    clocks,
    log,
    processId: parts.processId ?? uuid(),
    version: programVersion,
    releases: await readReleases(programVersion),
    openapi,
  };
  const clients = clientAddress(settings.TRUSTED_PROXIES);
  const metrics = createMetrics({ database, hub, feed: () => feed.state() });
  const blobs = openStore(settings, database, log);
  const disks = new Disks(disksOf(settings), server.processId);
  const room = new Room(database.kysely);
  const ready = readiness({ ...parts, blobs, disks, room, feed: () => feed.state() });

  const watch = requestLog(metrics, log);
  const headers = securityHeaders(settings.PUBLIC_URL);
  const logger: FastifyBaseLogger = log;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child for each request would cost more than the line it writes.
    childLoggerFactory: (shared) => shared,
    genReqId: requestIds(clients),
    requestIdHeader: false,
    bodyLimit: settings.MAX_BODY_BYTES,
    requestTimeout: settings.RECEIVE_TIMEOUT,
    connectionTimeout: longestSilence,
    http: {
      headersTimeout: Math.min(longestHeaders, settings.RECEIVE_TIMEOUT),
      connectionsCheckingInterval: Math.min(1_000, settings.RECEIVE_TIMEOUT),
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: answerBrokenRequest,
    // A path that cannot be decoded meets no hook.
    frameworkErrors: (error, request, reply) => {
      watch(request, reply);
      reply.headers(headers).header('x-request-id', request.id);
      sendProblem(request, reply, error);
    },
  });
  app.decorate('readiness', ready);
  app.decorate('lookAtParts', watchDownPart(database, hub));
  app.decorateRequest('visit', null);
  app.decorateRequest('problem', null);
  app.decorateRequest('admitted', false);
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply);
    reply.headers(headers).header('x-request-id', request.id);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const cookies = request.visit?.incoming.setCookies ?? [];
    if (cookies.length > 0) reply.header('set-cookie', cookies);
    done(null, payload);
  });
  reserveAddresses(app);
  greet(app, settings);
  boundConnections(app, new Connections(clients, settings.CONNECTIONS_PER_ADDRESS));
  readJsonBodies(app);
  discardUnreadBodies(app);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  answerUnknownRoutes(app, named);
  restRoutes(app, server, named, clients);
  trpcRoutes(app, server, registry, named, clients);
  referenceRoutes(app, server, openapi);
  clientRoutes(app, server, clients);
  pageRoutes(app, server, clients);
  providerProxy(app, server, clients);
  agentRoutes(app, server, clients, blobs);
  registryRoutes(app, server, clients, blobs);
  webhookRoutes(app, server, clients);
  healthRoutes(app, server, { clients, metrics, ready });

  const forget = [
    database.onAlarm(() => metrics.alarm()),
    pokeReaders(database),
    database.onCommit(({ actors }) => {
      // Nothing waits for it: what is not delivered here is delivered by the relay.
      for (const actor of actors) {
        parts.delivery.deliver(actor).catch((error: unknown) => log.warn({ actor, err: error }, 'Left to the relay'));
      }
    }),
  ];
  app.addHook('onReady', async () => feed.start());
  app.addHook('preClose', async () => hub.close());
  app.addHook('onClose', async () => {
    for (const stop of forget) stop();
    await feed.close();
    await server.lastUsed.close();
    await releaseStreamsOf(database.kysely, server.processId).catch(() => undefined);
  });
  return app;
}
