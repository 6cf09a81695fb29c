import { isPastReleaseCommand } from '../../../../domain/deployments/release-command.ts';
import { failedStage, isRerunnable, stagesToRerun } from '../../../../domain/deployments/rerun.ts';
import type { DialogAction } from '../../../components/actions/action.ts';
import { confirmAction } from '../../../components/actions/confirm-action.tsx';
import { HeldFirst } from '../../approvals/held/held-first.tsx';
import { type DeploymentAnswer, stageWords } from '../deployment-words.ts';
import type { DeploymentTools } from './deployment-tools.ts';

/** Anew, or from the stage in which it ended; that it ended while it was held leaves no choice. */
export function rerunActions(
  deployment: DeploymentAnswer,
  { trpc, follow, touches }: DeploymentTools,
): readonly DialogAction[] {
  const { id, state, serviceName, releaseNumber, stages, approvalId } = deployment;
  if (!isRerunnable(state)) return [];
  const from = failedStage(stages, approvalId !== undefined);
  const told = ({ approval }: { approval?: unknown }) =>
    approval === undefined ? `Rerunning the deployment of ${serviceName}` : 'Approval requested';
  const rerun = { role: 'deployer', operation: trpc.deployments.rerun, path: { id }, done: follow, touches } as const;
  const anew = confirmAction({
    ...rerun,
    label: 'Rerun',
    body: { queue: true },
    text: (
      <>
        A new deployment of release {releaseNumber} begins anew: nothing of this one counts again.
        <HeldFirst of={deployment} />
      </>
    ),
    succeeded: told,
  });
  const hasCommand = stages.some((stage) => stage.stage === 'release-command');
  const without = confirmAction({
    ...rerun,
    label: 'Rerun without release command',
    confirm: 'Rerun',
    body: { queue: true, fromStage: 'start' },
    text: (
      <p>
        A new deployment of release {releaseNumber}, which starts its instances without running the release command.
        Look first at what the command has done: its lines are in the logs of this deployment.
      </p>
    ),
    succeeded: told,
  });
  const stage = stagesToRerun(stages, approvalId !== undefined).includes(from) ? from : 'queue';
  if (stage === 'approval') return [anew];
  const again = confirmAction({
    ...rerun,
    label: `Rerun from the stage ${stageWords[stage]}`,
    confirm: 'Rerun',
    body: { queue: true, fromStage: stage },
    text: (
      <p>
        A new deployment of release {releaseNumber}. An approval that was given counts again if nothing that it relied
        on has changed since; otherwise a new one is asked for. It takes its turn in the queue, and its cluster goes
        through the stages again
        {!hasCommand
          ? ''
          : isPastReleaseCommand(stage)
            ? ', without the release command'
            : ', with the release command'}
        .
      </p>
    ),
    succeeded: told,
  });
  return hasCommand && !isPastReleaseCommand(stage) ? [again, without, anew] : [again, anew];
}
