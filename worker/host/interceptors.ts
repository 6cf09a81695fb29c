import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import { requestOfActivity } from '../../activities/caller.ts';
import { requestHeader } from '../../domain/request-header.ts';

/** Every log line of an activity says which actor it belongs to and which request began it. */
export const actorInterceptors: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: { execute: (input, next) => requestOfActivity.run(requestId(input), () => next(input)) },
  outbound: {
    getLogAttributes: (attributes, next) =>
      next({ ...attributes, actor: info.workflowExecution?.workflowId, requestId: requestOfActivity.getStore() }),
  },
});

function requestId({ headers }: ActivityExecuteInput): string | undefined {
  const payload = headers[requestHeader];
  const id = payload && defaultPayloadConverter.fromPayload<unknown>(payload);
  return typeof id === 'string' ? id : undefined;
}
