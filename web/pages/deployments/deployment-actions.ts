import { isDeploymentCancellable } from '../../../domain/deployments/states.ts';
import type { Action } from '../../components/actions/action.ts';
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
  const { id, state, serviceName } = deployment;
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
  return isDeploymentCancellable(state) && !deployment.cancelRequested ? [cancel] : [];
}
