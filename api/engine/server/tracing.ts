import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry';
import { sendSpans } from '../../../temporal/connection/spans.ts';
import { turnTracingOn } from '../pipeline/span.ts';

export interface Tracing {
  clientInterceptors: WorkflowClientInterceptor[];
  shutdown(): Promise<void>;
}

/** Sends spans of requests to an OTLP endpoint; actors that a request starts continue its trace. */
export function startTracing(endpoint: string): Tracing {
  const spans = sendSpans(endpoint, 'ballast-api');
  turnTracingOn();
  return {
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    shutdown: () => spans.shutdown().catch(() => undefined),
  };
}
