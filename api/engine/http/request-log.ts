import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Counts requests for the metrics. */
interface Metrics {
  request(operation: string, status: number, seconds: number): void;
}

/**
 * One line and one measurement for each request. The line names the operation, never the address: paths and queries can
 * hold secrets. A client that left before the end counts as 499.
 */
export function requestLog(metrics: Metrics, log: Logger): (request: FastifyRequest, reply: FastifyReply) => void {
  // These lines hold the fields below and nothing else: searching them for secrets would cost more than writing them.
  const lines = log.child({}, { redact: [] });
  return (request, reply) => {
    const startedAt = performance.now();
    reply.raw.once('close', () => finished(request, reply, performance.now() - startedAt, metrics, lines));
  };
}

function finished(
  request: FastifyRequest,
  reply: FastifyReply,
  milliseconds: number,
  metrics: Metrics,
  log: Logger,
): void {
  const incoming = request.visit?.incoming;
  const stream = incoming?.named.operation.stream !== undefined;
  const status = reply.raw.writableFinished || (stream && reply.raw.headersSent) ? reply.raw.statusCode : 499;
  const operation = incoming?.named.name ?? request.routeOptions.url ?? 'none';
  metrics.request(operation, status, milliseconds / 1000);
  const line = {
    requestId: request.id,
    operation,
    status,
    ms: Math.round(milliseconds * 10) / 10,
    ...(request.problem === null ? {} : { problem: request.problem }),
    ...(incoming?.caller === undefined
      ? {}
      : { caller: { kind: incoming.caller.credential.kind, id: incoming.caller.credential.id } }),
  };
  if (status >= 500) log.error(line, 'request');
  else if (request.routeOptions.config?.quiet && status < 400) log.debug(line, 'request');
  else log.info(line, 'request');
}
