import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry';
import { turnTracingOn } from '../pipeline/span.ts';

export interface Tracing {
  clientInterceptors: WorkflowClientInterceptor[];
  shutdown(): Promise<void>;
}

/** Sends spans of requests to an OTLP endpoint; actors that a request starts go on with its trace. */
export function startTracing(endpoint: string): Tracing {
  const sdk = new NodeSDK({
    resource: resources.resourceFromAttributes({ 'service.name': 'ballast-api' }),
    traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }),
    instrumentations: [],
  });
  sdk.start();
  turnTracingOn();
  return {
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    shutdown: () => sdk.shutdown().catch(() => undefined),
  };
}
