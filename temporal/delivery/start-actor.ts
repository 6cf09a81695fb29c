import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client';
import type { JsonObject } from '../../db/postgres/json.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';
import type { Temporal } from '../connection/connect.ts';
import { searchAttributePairs } from '../connection/search-attributes.ts';
import { taskQueue } from '../connection/task-queue.ts';

export interface NewActor {
  kind: ActorKind;
  rowId: string;
  organizationId: string;
  /** The state that its row begins with. */
  state: string;
  input: object;
  /** Who caused it: kind, id, name and the id of the request. */
  author: JsonObject;
  /** True while the last run is closed or lost and the row is not final: another run may take its place. */
  again?: boolean;
  /** How often a run of it completed while its row stayed open. */
  completed?: number;
}

/** Starts an actor. "Already started" counts only of a run that is open. No time limit: timers end it. */
export async function startActor(temporal: Temporal, actor: NewActor): Promise<'started' | 'already started'> {
  const { kind, rowId, again = false, completed } = actor;
  const { requestId, ...author } = actor.author;
  const workflowId = actorId(kind, rowId);
  try {
    await temporal.client.workflow.start(descriptors[kind].workflow, {
      taskQueue,
      workflowId,
      workflowIdReusePolicy: again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      // Of two that start it again one wins.
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
      args: [actor.input],
      memo: {
        author,
        ...(requestId === undefined ? {} : { requestId }),
        ...(completed === undefined ? {} : { completed }),
      },
      typedSearchAttributes: searchAttributePairs({
        organization: actor.organizationId,
        kind,
        phase: actor.state,
      }),
    });
    return 'started';
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { status } = await temporal.client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING') return 'already started';
    throw new Error(`${workflowId} has ended although its row is open; the reconciler mends that.`, { cause: error });
  }
}
