import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResourcesSync,
  envDetectorSync,
  hostDetectorSync,
  type IResource,
  processDetectorSync,
  Resource,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';

export interface Spans {
  resource: IResource;
  /** Takes what was made elsewhere, such as in a workflow. */
  processor: SpanProcessor;
  shutdown(): Promise<void>;
}

/** Sends this process's spans to an OTLP endpoint, and lets traces go on in the headers of what it asks others. */
export function sendSpans(endpoint: string, service: string): Spans {
  const detectors = [envDetectorSync, processDetectorSync, hostDetectorSync];
  const resource = Resource.default()
    .merge(detectResourcesSync({ detectors }))
    .merge(new Resource({ 'service.name': service }));
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  provider.register({
    contextManager: new AsyncLocalStorageContextManager().enable(),
    propagator: new W3CTraceContextPropagator(),
  });
  return { resource, processor, shutdown: () => provider.shutdown() };
}
