import { isDeploymentCancellable } from '../../../domain/deployments/states.ts';
import type { Action, DialogAction } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { HeldFirst } from '../approvals/held/held-first.tsx';
import type { DeploymentTools } from './again/deployment-tools.ts';
import { rerunActions } from './again/rerun-actions.tsx';
import type { DeploymentAnswer } from './deployment-words.ts';

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
