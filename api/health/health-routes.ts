import type { FastifyInstance } from 'fastify';
import { keepMetricsToken, showsMetricsToken } from '../../db/keys/metrics-token.ts';
import { Problem } from '../../domain/problems.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import type { Metrics } from './metrics.ts';
import { workerMetrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

interface Health {
  clients: ClientAddress;
  metrics: Metrics;
  ready: () => Promise<Readiness>;
}

/** For those who watch over the process; no part of the API. */
export function healthRoutes(app: FastifyInstance, server: ServerParts, { clients, metrics, ready }: Health): void {
  app.get('/healthz', { config: { uncounted: true } }, async (_, reply) =>
    reply.type('text/plain; charset=utf-8').send('alive\n'),
  );

  app.get('/readyz', { config: { uncounted: true } }, async (_, reply) => {
    const state = await ready();
    return reply
      .code(state.ready ? 200 : 503)
      .type('application/json')
      .send(JSON.stringify(state));
  });

  const { METRICS_TOKEN_FILE, RATE_LIMIT_ANONYMOUS_PER_MINUTE } = server.settings;
  app.addHook('onReady', () => keepMetricsToken(METRICS_TOKEN_FILE));
  app.get('/metrics', {
    config: { quiet: true },
    // They tell of every organization, so no organization's credential opens them, and no address does.
    onRequest: async (request) => {
      if (await showsMetricsToken(METRICS_TOKEN_FILE, request.headers.authorization)) return;
      await server.rates.spend('anonymous', clients.of(request.raw), RATE_LIMIT_ANONYMOUS_PER_MINUTE);
      throw new Problem(
        'no-credential',
        'The metrics are for the operator of this installation: send the token in METRICS_TOKEN_FILE as Authorization: Bearer ….',
      );
    },
    handler: async (_, reply) =>
      reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .send(`${await metrics.text()}${await workerMetrics(server.settings)}`),
  });
}
