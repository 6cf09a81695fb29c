import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { AcceptDowntime } from '../../../components/forms/accept.tsx';
import { Form, TextField } from '../../../components/forms/form.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import type { StagedView } from './item-lines.ts';

interface ApplyFormProps {
  environment: EnvironmentAnswer;
  view: StagedView;
  onClose: () => void;
}

/** Deploys what is staged, or asks for the approval of it. What others change meanwhile is shown before it is deployed. */
export function ApplyForm({ environment, view: { changeSet, summary }, onClose }: ApplyFormProps) {
  const { client, trpc } = usePlane();
  const { organization = '', project = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const [message, setMessage] = useState('');
  const [downtime, setDowntime] = useState(false);
  const { needsApproval, requiresDowntime } = summary;
  const apply = useChange(
    (revision: number | undefined, sent) =>
      client.changeSets.applyDraft.mutate(
        {
          path: { id: changeSet.id },
          body: {
            source: 'console',
            ...(revision === undefined ? {} : { expectedRevision: revision }),
            ...(message.trim() === '' ? {} : { message: message.trim() }),
            // The person who decides is shown the reason.
            ...(message.trim() === '' || !needsApproval ? {} : { reason: message.trim() }),
            ...(downtime ? { downtimeAccepted: true } : {}),
          },
        },
        sent,
      ),
    {
      failed: 'The changes could not be deployed',
      succeeded: ({ approval }) => (approval === undefined ? 'Deployment started' : 'Approval requested'),
      quiet: true,
      touches: () => [trpc.changeSets.pathKey(), trpc.environments.pathKey(), trpc.deployments.pathKey()],
      done: ({ approval, deployments: [first, ...others] }) => {
        // The page that follows takes the place of the dialog in the browser's history.
        if (approval !== undefined) {
          void navigate({
            to: '/$organization/approvals/$approval',
            params: { organization, approval: approval.id },
            replace: true,
            ignoreBlocker: true,
          });
        } else if (first !== undefined && others.length === 0) {
          void navigate({
            to: '/$organization/deployments/$deployment',
            params: { organization, deployment: first.id },
            replace: true,
            ignoreBlocker: true,
          });
        } else {
          void navigate({
            to: '/$organization/p/$project/e/$environment/deployments',
            params: { organization, project, environment: environment.slug },
            replace: true,
            ignoreBlocker: true,
          });
        }
      },
    },
  );
  // Accepted before, it is remembered; what the summary cannot foresee, the control plane asks.
  const asksDowntime =
    (requiresDowntime && !changeSet.downtimeAccepted) || downtime || apply.problem?.downtime === true;
  return (
    <Form problem={apply.problem} places={['message']} onSubmit={() => apply.send(changeSet.revision)}>
      {apply.problem?.status === 409 && apply.problem.downtime === undefined && (
        <Notice>The changes above are those of now. Nothing was deployed; look at them and deploy again.</Notice>
      )}
      <TextField
        name="message"
        label="Message"
        hint={needsApproval ? 'For the person who approves, and for the history.' : 'For the history. Optional.'}
        value={message}
        onChange={setMessage}
        maxLength={500}
        first
      />
      {asksDowntime && <AcceptDowntime checked={downtime} onChange={setDowntime} />}
      <SubmitOrCancel onCancel={onClose} busy={apply.sending}>
        {needsApproval ? 'Request approval' : 'Deploy'}
      </SubmitOrCancel>
    </Form>
  );
}
