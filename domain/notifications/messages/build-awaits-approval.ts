import { namedVariables } from '../../deployments/unset-variables.ts';
import type { NotificationMessage } from '../notifications.ts';
import { linkOf, type ToldBuild } from './build-ended.ts';

/** A build of production whose source nobody vouches for. */
export interface AwaitingBuild extends ToldBuild {
  requestedBy: string;
  /** A commit with its repository; empty: a folder that was uploaded. */
  commit: string;
  /** The names of what it would be given. */
  variables: readonly string[];
}

export function buildAwaitsApproval(build: AwaitingBuild): NotificationMessage {
  const { number, service, environment, requestedBy, commit, variables } = build;
  const source = commit === '' ? 'a folder' : commit;
  return {
    kind: 'approval',
    title: `Approval needed: build #${number} of ${service} for ${environment}`,
    body: `${requestedBy} asks to build ${source}, which is not the head of the connected branch. Its commands would see ${namedVariables(variables)}.`,
    link: linkOf(build),
  };
}
