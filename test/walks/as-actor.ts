import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities, type DeploymentActivities } from '../../activities/deployment.ts';
import type { RunningApi } from '../installation/running-api.ts';

/** Runs activities of a deployment as its actor does. */
export async function asActor<T>(
  { database, keyring }: Pick<RunningApi, 'database' | 'keyring'>,
  id: string,
  run: (activities: DeploymentActivities) => Promise<T>,
): Promise<T> {
  const activities = createActivities({ database, keyring, ingressDomain: 'localhost' });
  const environment = new MockActivityEnvironment({
    workflowExecution: { workflowId: `deployment/${id}`, runId: crypto.randomUUID() },
  });
  return (await environment.run(() => run(activities))) as T;
}
