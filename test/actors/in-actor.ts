import { MockActivityEnvironment } from '@temporalio/testing';

/** Runs activities as the worker does for the workflow of this id. */
export function inActor<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
  const workflowExecution = { workflowId, runId: crypto.randomUUID() };
  return new MockActivityEnvironment({ workflowExecution }).run(work) as Promise<T>;
}
