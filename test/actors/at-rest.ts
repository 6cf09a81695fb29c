import { actorStatus } from '../../worker/duties/actor-status.ts';
import { until } from '../ground/until.ts';
import type { ActorsGround } from './actors.ts';

/** Waits until nothing is under way: an actor that spins never comes to rest. Answers whether it still runs. */
export async function atRest({ temporal }: Pick<ActorsGround, 'temporal'>, actor: string): Promise<boolean> {
  const { runs } = await until(
    `${actor} is at rest`,
    async () => {
      const described = await temporal.connection.workflowService.describeWorkflowExecution({
        namespace: temporal.namespace,
        execution: { workflowId: actor },
      });
      const { workflowExecutionInfo: info, pendingActivities, pendingWorkflowTask } = described;
      const { is } = await actorStatus(temporal, actor);
      if (is === 'closed') return { runs: false };
      return !pendingActivities?.length && !pendingWorkflowTask && Number(info?.historyLength) > 4 && { runs: true };
    },
    60,
  );
  return runs;
}
