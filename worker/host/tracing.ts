import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';
import { sendSpans } from '../../temporal/connection/spans.ts';

export interface Tracing {
  clientInterceptors: WorkflowClientInterceptor[];
  activityInterceptors: ActivityInterceptorsFactory[];
  sinks: NonNullable<WorkerOptions['sinks']>;
  shutdown(): Promise<void>;
}

/** Sends the spans of actors and activities to an OTLP endpoint; a trace goes on from the request that began it. */
export function startTracing(endpoint: string): Tracing {
  const { processor, resource, shutdown } = sendSpans(endpoint, 'ballast-worker');
  return {
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    activityInterceptors: [
      (context) => ({
        inbound: new OpenTelemetryActivityInboundInterceptor(context),
        outbound: new OpenTelemetryActivityOutboundInterceptor(context),
      }),
    ],
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
    shutdown,
  };
}
