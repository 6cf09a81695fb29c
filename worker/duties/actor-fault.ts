import { failureText } from '../../domain/history-steps/in-words.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { plainFailure } from '../../temporal/history/history-events.ts';

/** A failed task is among the last events; those that follow it are what came meanwhile. */
const lastEvents = 100;

/**
 * Why the last task of an actor failed, by its history: the SDK's own log names neither the actor nor, where the failure is
 * encrypted, the fault. `undefined`: no task of it failed lately.
 */
export async function actorFault(
  { client, connection, namespace }: Temporal,
  actorId: string,
): Promise<string | undefined> {
  const [codec] = client.options.loadedDataConverter.payloadCodecs;
  const { history } = await connection.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId: actorId },
    maximumPageSize: lastEvents,
  });
  const events = history?.events ?? [];
  const failed = events.find(({ workflowTaskFailedEventAttributes: task }) => task)?.workflowTaskFailedEventAttributes;
  if (!failed?.failure || codec === undefined) return undefined;
  return failureText(await plainFailure(failed.failure, codec));
}
