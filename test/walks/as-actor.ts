import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptTurns } from '../../activities/attempt-turns.ts';
import { createActivities, type DeploymentActivities } from '../../activities/deployment.ts';
import type { RunningApi } from '../installation/running-api.ts';

/** Runs activities of a deployment as its actor does. */
export async function asActor<T>(
  { database, keyring }: Pick<RunningApi, 'database' | 'keyring'>,
  id: string,
  run: (activities: DeploymentActivities) => Promise<T>,
): Promise<T> {
  const activities = createActivities({
    database,
    keyring,
    archive: async () => undefined,
    ingressDomain: 'localhost',
    outbound: { allowedRanges: [] },
    pagerUrl: 'https://pager.invalid',
    publicUrl: 'https://ballast.example.com',
    turns: attemptTurns(40),
  });
  const environment = new MockActivityEnvironment({
    workflowExecution: { workflowId: `deployment/${id}`, runId: crypto.randomUUID() },
  });
  return (await environment.run(() => run(activities))) as T;
}
