import { useNavigate } from '@tanstack/react-router';
import { isPastReleaseCommand } from '../../../domain/deployments/release-command.ts';
import { failedStage, isRerunnable, stagesToRerun } from '../../../domain/deployments/rerun.ts';
import { isDeploymentCancellable } from '../../../domain/deployments/states.ts';
import type { Action, DialogAction } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { HeldFirst } from '../approvals/held/held-first.tsx';
import { type DeploymentAnswer, deploymentLink, stageWords } from './deployment-words.ts';

/** What can be done about a deployment. */
export function deploymentActions(deployment: DeploymentAnswer, tools: DeploymentTools): readonly Action[] {
  const { id, state, serviceId, serviceName, environmentId, releaseNumber } = deployment;
  const { trpc, follow, touches } = tools;
  const cancel = deleteAction({
    role: 'deployer',
    verb: 'Cancel',
    noun: 'deployment',
    name: `the deployment of ${serviceName}`,
    operation: trpc.deployments.cancel,
    path: { id },
    succeeded: 'Cancelling the deployment',
    touches,
    consequences:
      state === 'pending'
        ? 'It has not begun; nothing changes.'
        : 'Its new instances end. The live release goes on serving.',
  });
  const redeploy = confirmAction({
    role: 'deployer',
    label: 'Redeploy',
    operation: trpc.deployments.redeploy,
    path: { id: serviceId },
    body: { environmentId, queue: true },
    text: (
      <>
        New instances of release {releaseNumber} take the place of those that run.
        <HeldFirst of={deployment} />
      </>
    ),
    succeeded: begun(`Redeploying ${serviceName}`),
    done: follow,
    touches,
  });
  if (deployment.serving) return [redeploy];
  if (state === 'live') return [rollBackAction(deployment, tools)];
  if (isDeploymentCancellable(state)) return deployment.cancelRequested ? [] : [cancel];
  return rerunActions(deployment, tools);
}

/** Leads back to the release of a deployment that went live. */
export function rollBackAction(deployment: DeploymentAnswer, { trpc, follow, touches }: DeploymentTools): DialogAction {
  const { serviceName, environmentName, releaseId, releaseNumber } = deployment;
  return confirmAction({
    role: 'deployer',
    label: `Roll back to release ${releaseNumber}`,
    confirm: 'Roll back',
    operation: trpc.deployments.rollBack,
    path: { id: releaseId },
    body: { queue: true },
    text: (
      <>
        {serviceName} in {environmentName} runs release {releaseNumber} again, with its settings and variables. Staged
        changes stay.
        <HeldFirst of={deployment} />
      </>
    ),
    succeeded: begun(`Rolling ${serviceName} back to release ${releaseNumber}`),
    done: follow,
    touches,
  });
}

/** The same words once it has been asked for, unless it is held. */
export function begun(words: string): (output: { approval?: unknown }) => string {
  return ({ approval }) => (approval === undefined ? words : 'Approval requested');
}

/** Anew, or from the stage in which it ended; that it ended while it was held leaves no choice. */
function rerunActions(
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

/** Parts of the page that actions on deployments need; `follow` leads to the one that an action has begun. */
export function useDeploymentTools() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const navigate = useNavigate();
  const follow = ({ deployment }: { deployment: { id: string } }) =>
    // The form has been sent: nobody is asked whether to discard it.
    void navigate({ ...deploymentLink(deployment, slug), ignoreBlocker: true });
  return { trpc, follow, touches: [trpc.deployments.pathKey(), trpc.environments.pathKey()] };
}

export type DeploymentTools = ReturnType<typeof useDeploymentTools>;
