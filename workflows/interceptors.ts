import { defaultPayloadConverter } from '@temporalio/common';
import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { requestHeader } from '../domain/request-header.ts';

/** Every log line says which actor it is and which request began it; its activities are told the same. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      getLogAttributes: (attributes, next) =>
        next({ ...attributes, actor: workflowInfo().workflowId, requestId: requestId() }),
      scheduleActivity(input, next) {
        const id = requestId();
        if (id === undefined) return next(input);
        return next({
          ...input,
          headers: { ...input.headers, [requestHeader]: defaultPayloadConverter.toPayload(id) },
        });
      },
    },
  ],
});

function requestId(): string | undefined {
  const id = workflowInfo().memo?.requestId;
  return typeof id === 'string' ? id : undefined;
}
