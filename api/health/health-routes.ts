import type { FastifyInstance } from 'fastify';
import { admitVisit } from '../engine/http/admit.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { operation } from '../engine/operation.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

interface Health {
  clients: ClientAddress;
  metrics: Metrics;
  ready: () => Promise<Readiness>;
}

/** Who may read the metrics from elsewhere than this machine: declared like any operation, served as plain text. */
const readMetrics = operation({
  method: 'GET',
  url: '/metrics',
  summary: 'Metrics for Prometheus',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: [],
  async handle() {},
});

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

  const admit = admitVisit(server, clients);
  app.get('/metrics', {
    config: { operation: { name: 'metrics', subject: 'health', operation: readMetrics } },
    onRequest: async (request, reply) => {
      if (!clients.isLoopback(request.raw)) await admit(request, reply);
    },
    handler: async (_, reply) =>
      reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .send(`${await metrics.text()}${await workerMetrics(server.settings.WORKER_METRICS_URL)}`),
  });
}

/** What a worker tells, if one is named; its absence is seen by its metrics being absent. */
async function workerMetrics(url: string | undefined): Promise<string> {
  if (url === undefined) return '';
  return fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'error' })
    .then((answer) => (answer.ok ? answer.text() : ''))
    .catch(() => '');
}
