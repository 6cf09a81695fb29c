import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Problem } from '../../../domain/problems.ts';
import type { Incoming } from '../input/incoming.ts';

let tracing = false;

/** Spans are made only when somebody collects them; until then they cost nothing. */
export function turnTracingOn(): void {
  tracing = true;
}

/** Runs the work of a request as a span of its own. */
export function inSpan<T>(incoming: Incoming, work: () => Promise<T>): Promise<T> {
  if (!tracing) return work();
  const { named, requestId } = incoming;
  const attributes = {
    'http.request.method': named.operation.method,
    'http.route': named.operation.url,
    'ballast.operation': named.name,
    'ballast.request_id': requestId,
  };
  return trace
    .getTracer('ballast-api')
    .startActiveSpan(named.name, { kind: SpanKind.SERVER, attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        const status = error instanceof Problem ? error.status : 500;
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
}
