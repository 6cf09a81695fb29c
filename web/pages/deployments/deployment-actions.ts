import { isDeploymentCancellable } from '../../../domain/deployments/states.ts';
import type { Action } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { DeploymentAnswer } from './deployment-words.ts';

/** Parts of the page that actions on deployments need. */
export function useDeploymentTools() {
  const { trpc } = usePlane();
  return { trpc, touches: [trpc.deployments.pathKey(), trpc.environments.pathKey()] };
}

type Tools = ReturnType<typeof useDeploymentTools>;

/** What can be done about a deployment. */
export function deploymentActions(deployment: DeploymentAnswer, tools: Tools): readonly Action[] {
  const { id, state, serviceId, serviceName, environmentId, environmentName, releaseId, releaseNumber } = deployment;
  const { trpc, touches } = tools;
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
  const rollBack = confirmAction({
    role: 'deployer',
    label: `Roll back to release ${releaseNumber}`,
    confirm: 'Roll back',
    operation: trpc.deployments.rollBack,
    path: { id: releaseId },
    body: { queue: true },
    text: `${serviceName} in ${environmentName} runs release ${releaseNumber} again, with its settings and variables. Staged changes stay.`,
    succeeded: `Rolling ${serviceName} back to release ${releaseNumber}`,
    touches,
  });
  const redeploy = confirmAction({
    role: 'deployer',
    label: 'Redeploy',
    operation: trpc.deployments.redeploy,
    path: { id: serviceId },
    body: { environmentId, queue: true },
    text: `New instances of release ${releaseNumber} take the place of those that run.`,
    succeeded: `Redeploying ${serviceName}`,
    touches,
  });
  if (deployment.serving) return [redeploy];
  if (state === 'live') return [rollBack];
  return isDeploymentCancellable(state) && !deployment.cancelRequested ? [cancel] : [];
}
