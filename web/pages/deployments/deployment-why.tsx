import { Link } from '@tanstack/react-router';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { Notice } from '../../components/notice.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { blockers, type DeploymentAnswer } from './deployment-words.ts';

/** What a deployment waits for and who can end that, or why it ended as it did. */
export function DeploymentWhy({ deployment }: { deployment: DeploymentAnswer }) {
  const { slug: organization } = useMembership();
  const { state, blocker, message, approvalId, cancelRequested } = deployment;
  const words = blockers[blocker as keyof typeof blockers];
  const over = isDeploymentFinal(state);
  if (words === undefined && message === '' && (!cancelRequested || over)) return null;
  const tone = state === 'failed' ? 'fault' : over ? 'neutral' : 'attention';
  const title = words === undefined ? undefined : over ? words.failed : words.waits;
  return (
    <Notice tone={tone} title={cancelRequested && !over ? 'Being cancelled' : title}>
      {message !== '' && <p>{message}</p>}
      {approvalId !== undefined && blocker === 'approval' && !over && (
        <Link
          to="/$organization/approvals/$approval"
          params={{ organization, approval: approvalId }}
          className="underline underline-offset-3"
        >
          Open the approval
        </Link>
      )}
    </Notice>
  );
}
