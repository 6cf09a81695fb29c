import { failureText } from '../../domain/history-steps/in-words.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { plainFailure } from '../../temporal/history/history-events.ts';

/** The end of a task is among the last events; those that follow it are what came meanwhile. */
const lastEvents = 100;

/** Why an actor is not continued: its code failed, with the fault where the history names one, or no worker was done in time. */
export type ActorFault = { is: 'failed'; fault: string | undefined } | { is: 'late' };

/**
 * How the last task of an actor ended that its history shows, which is the first of those that ended alike. Of the later ones
 * nothing can be learned: the SDK answers only the first failure and lets all others run out of time, as a worker does that was
 * killed. The SDK's own log names neither the actor nor, where the failure is encrypted, the fault.
 */
export async function actorFault({ client, connection, namespace }: Temporal, actorId: string): Promise<ActorFault> {
  const [codec] = client.options.loadedDataConverter.payloadCodecs;
  const { history } = await connection.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId: actorId },
    maximumPageSize: lastEvents,
  });
  const ended = history?.events?.find(
    (event) =>
      event.workflowTaskFailedEventAttributes ||
      event.workflowTaskTimedOutEventAttributes ||
      event.workflowTaskCompletedEventAttributes,
  );
  const task = ended?.workflowTaskFailedEventAttributes;
  if (!task) return { is: 'late' };
  if (!task.failure || codec === undefined) return { is: 'failed', fault: undefined };
  return { is: 'failed', fault: failureText(await plainFailure(task.failure, codec)) };
}
