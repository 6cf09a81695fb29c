import { useNavigate } from '@tanstack/react-router';
import { isDeploymentCancellable } from '../../../domain/deployments/states.ts';
import type { Action, DialogAction } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { HeldFirst } from '../approvals/held-first.tsx';
import { deploymentLink } from './deployment-link.ts';
import type { DeploymentAnswer } from './deployment-words.ts';

/** Parts of the page that actions on deployments need; `follow` leads to the one that an action has begun. */
export function useDeploymentTools() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const navigate = useNavigate();
  const follow = ({ deployment }: { deployment: { id: string } }) => void navigate(deploymentLink(deployment, slug));
  return { trpc, follow, touches: [trpc.deployments.pathKey(), trpc.environments.pathKey()] };
}

export type Tools = ReturnType<typeof useDeploymentTools>;

/** What can be done about a deployment. */
export function deploymentActions(deployment: DeploymentAnswer, tools: Tools): readonly Action[] {
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
  return isDeploymentCancellable(state) && !deployment.cancelRequested ? [cancel] : [];
}

/** Leads back to the release of a deployment that went live. */
export function rollBackAction(deployment: DeploymentAnswer, { trpc, follow, touches }: Tools): DialogAction {
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
