import proto from '@temporalio/proto';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { reportedProblems } from './running-actors.ts';

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

export type ActorStatus =
  /** `stuck`: a step that keeps failing. `failing`: tasks of its code keep ending without an answer. `busy`: an activity is running. */
  | { is: 'running'; runId: string; stuck: string | undefined; failing: boolean; busy: boolean }
  /** `completed`: it came to its end by itself, and so wrote that into its row before. */
  | { is: 'closed'; runId: string; how: string; completed: boolean }
  | { is: 'unknown' };

/** Failed attempts of a step, or of a task, before an actor counts as stuck. */
const stuckAfter = 10;

/** The actor's status from Temporal's describe, since visibility lags behind. */
export async function actorStatus({ connection, namespace }: Temporal, actorId: string): Promise<ActorStatus> {
  try {
    const { workflowExecutionInfo, pendingActivities, pendingWorkflowTask } =
      await connection.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId: actorId } });
    const runId = workflowExecutionInfo?.execution?.runId ?? '';
    const status = workflowExecutionInfo?.status ?? 0;
    if (!closed.has(status)) {
      const step = pendingActivities?.find(({ attempt }) => (attempt ?? 0) >= stuckAfter);
      const stuck = step
        ? `The step ${step.activityType?.name} has failed ${(step.attempt ?? 1) - 1} times; see the log of the worker.`
        : undefined;
      const failing =
        (pendingWorkflowTask?.attempt ?? 0) >= stuckAfter ||
        workflowExecutionInfo?.searchAttributes?.indexedFields?.[reportedProblems] != null;
      return { is: 'running', runId, stuck, failing, busy: (pendingActivities ?? []).length > 0 };
    }
    const completed = status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED;
    return { is: 'closed', runId, how: closed.get(status) ?? 'ended', completed };
  } catch (error) {
    if (hasStatus(error, 'notFound')) return { is: 'unknown' };
    throw error;
  }
}

const closed: ReadonlyMap<number, string> = new Map([
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED, 'ended'],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED, 'failed'],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED, 'was cancelled'],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED, 'was terminated'],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, 'ran out of time'],
]);
