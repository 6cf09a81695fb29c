import { useNavigate, useParams } from '@tanstack/react-router';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import type { ApprovalAnswer } from './approval-words.tsx';

/** The environment has changed since: the difference below is not that of today, and a new approval shows it. */
export function Refresh({ approval: { id } }: { approval: ApprovalAnswer }) {
  const { client, trpc } = usePlane();
  const mayApply = useMay('deployer');
  const { organization = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const refresh = useChange((_: undefined, sent: Sent) => client.approvals.refresh.mutate({ path: { id } }, sent), {
    failed: 'The approval could not be refreshed',
    succeeded: 'Refreshed',
    touches: () => [trpc.approvals.pathKey(), trpc.deployments.pathKey(), trpc.changeSets.pathKey()],
    done: (fresh) =>
      void navigate({
        to: '/$organization/approvals/$approval',
        params: { organization, approval: fresh.id },
        replace: true,
      }),
  });
  return (
    <Notice tone="attention" title="The environment has changed since this was requested">
      <p>It cannot be approved as it is. Refresh it to see what it would change today, or reject it.</p>
      {mayApply && (
        <Button look="strong" busy={refresh.sending} onClick={() => refresh.send(undefined)}>
          Refresh
        </Button>
      )}
    </Notice>
  );
}
