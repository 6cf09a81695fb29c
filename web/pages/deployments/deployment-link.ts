import type { LinkProps } from '@tanstack/react-router';

/** The page of a deployment, from wherever only its id is known. */
export function deploymentLink({ id }: { id: string }, organization: string): LinkProps {
  return { to: '/$organization/deployments/$deployment', params: { organization, deployment: id } };
}
