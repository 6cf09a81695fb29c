import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client';
import type { JsonObject } from '../../db/postgres/json.ts';
import { type ActorKind, actorId, actorKinds } from '../../domain/actors.ts';
import type { Temporal } from '../connection/connect.ts';
import { searchAttributePairs } from '../connection/search-attributes.ts';
import { taskQueue } from '../connection/task-queue.ts';

export interface NewActor {
  kind: ActorKind;
  rowId: string;
  organizationId: string;
  /** The state that its row begins with. */
  state: string;
  input: JsonObject;
  /** Who caused it: kind, id, name and the id of the request. */
  author: JsonObject;
}

/** Starts an actor; that it has been started before, or has even ended, counts as done. No time limit: timers end it. */
export async function startActor(temporal: Temporal, actor: NewActor): Promise<'started' | 'already started'> {
  const { requestId, ...author } = actor.author;
  try {
    await temporal.client.workflow.start(actorKinds[actor.kind].workflow, {
      taskQueue,
      workflowId: actorId(actor.kind, actor.rowId),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [actor.input],
      memo: { author, ...(requestId === undefined ? {} : { requestId }) },
      typedSearchAttributes: searchAttributePairs({
        organization: actor.organizationId,
        kind: actor.kind,
        phase: actor.state,
      }),
    });
    return 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already started';
    throw error;
  }
}
