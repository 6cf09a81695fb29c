import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeSDK, resources, tracing as spans } from '@opentelemetry/sdk-node';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';

export interface Tracing {
  clientInterceptors: WorkflowClientInterceptor[];
  activityInterceptors: ActivityInterceptorsFactory[];
  sinks: NonNullable<WorkerOptions['sinks']>;
  shutdown(): Promise<void>;
}

/** A span as a workflow hands it out: plain data, in the shape of OpenTelemetry's first generation. */
interface WorkflowSpan extends Omit<spans.ReadableSpan, 'spanContext' | 'resource' | 'instrumentationScope'> {
  spanContext: Omit<ReturnType<spans.ReadableSpan['spanContext']>, 'traceState'>;
  parentSpanId?: string;
  instrumentationLibrary: spans.ReadableSpan['instrumentationScope'];
}

/** Sends the spans of actors and activities to an OTLP endpoint; a trace goes on from the request that began it. */
export function startTracing(endpoint: string): Tracing {
  const resource = resources.resourceFromAttributes({ 'service.name': 'ballast-worker' });
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const processor = new spans.BatchSpanProcessor(exporter);
  const sdk = new NodeSDK({ resource, spanProcessors: [processor], metricReaders: [], logRecordProcessors: [] });
  sdk.start();
  return {
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    activityInterceptors: [
      (context) => ({
        inbound: new OpenTelemetryActivityInboundInterceptor(context),
        outbound: new OpenTelemetryActivityOutboundInterceptor(context),
      }),
    ],
    sinks: {
      exporter: {
        export: {
          fn: (_workflow: object, made: WorkflowSpan[]) => {
            for (const span of made) processor.onEnd(readable(span, resource));
          },
        },
      },
    },
    shutdown: () => sdk.shutdown(),
  };
}

function readable(span: WorkflowSpan, resource: spans.ReadableSpan['resource']): spans.ReadableSpan {
  const { spanContext, parentSpanId, instrumentationLibrary, ...rest } = span;
  return {
    ...rest,
    resource,
    instrumentationScope: instrumentationLibrary,
    spanContext: () => spanContext,
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { ...spanContext, spanId: parentSpanId } }),
  };
}
