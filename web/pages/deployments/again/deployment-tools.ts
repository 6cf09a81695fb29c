import { useNavigate } from '@tanstack/react-router';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { deploymentLink } from '../deployment-words.ts';

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
