import { AsyncLocalStorage } from 'node:async_hooks';
import { activityInfo } from '@temporalio/activity';
import type { Author } from '../db/engine/effect.ts';

/** The id of the request that began the actor, while one of its activities runs. */
export const requestOfActivity = new AsyncLocalStorage<string | undefined>();

/** The author of an activity's effects: the actor that runs it. */
export function actorAuthor(): Author {
  const { workflowExecution } = activityInfo();
  const id = workflowExecution?.workflowId ?? 'unknown';
  const requestId = requestOfActivity.getStore();
  return { kind: 'actor', id, name: id, ...(requestId === undefined ? {} : { requestId }) };
}
