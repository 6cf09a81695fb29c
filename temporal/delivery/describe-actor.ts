import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { failureText } from '../../domain/history-steps/in-words.ts';
import type { Trying } from '../../domain/history-steps/telling.ts';
import type { Temporal } from '../connection/connect.ts';
import { hasStatus } from '../connection/grpc-status.ts';
import { plainFailure } from '../history/history-events.ts';

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

export interface DescribedActor {
  /** The last one. */
  runId: string;
  running: boolean;
  /** Pending activities by their id. */
  trying: Map<string, Trying>;
}

/** Temporal's present view of an actor; `undefined` if Temporal knows none. */
export async function describeActor(
  { connection, namespace }: Pick<Temporal, 'connection' | 'namespace'>,
  codec: PayloadCodec,
  actorId: string,
): Promise<DescribedActor | undefined> {
  try {
    const { workflowExecutionInfo, pendingActivities } = await connection.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId: actorId },
    });
    const trying = new Map<string, Trying>();
    for (const { activityId, attempt, lastFailure, nextAttemptScheduleTime } of pendingActivities ?? []) {
      trying.set(activityId ?? '', {
        attempts: Math.max(1, attempt ?? 1),
        failure: lastFailure ? failureText(await plainFailure(lastFailure, codec)) : '',
        ...(nextAttemptScheduleTime ? { nextAttemptAt: isoOf(nextAttemptScheduleTime) } : {}),
      });
    }
    return {
      runId: workflowExecutionInfo?.execution?.runId ?? '',
      running: workflowExecutionInfo?.status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
      trying,
    };
  } catch (error) {
    if (hasStatus(error, 'notFound')) return undefined;
    throw error;
  }
}

function isoOf({ seconds, nanos }: { seconds?: unknown; nanos?: number | null }): string {
  return new Date(Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6).toISOString();
}
