import { type LinkProps, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { AcceptDowntime } from '../../../components/forms/accept.tsx';
import { Form, TextField } from '../../../components/forms/form.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useOperation } from '../../../control-plane/operation.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { begun } from '../../deployments/deployment-actions.tsx';
import { deploymentLink } from '../../deployments/deployment-words.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';
import type { StagedView } from './item-lines.ts';

interface ApplyFormProps {
  environment: EnvironmentAnswer;
  view: StagedView;
  onClose: () => void;
}

/** Deploys what is staged, or asks for the approval of it. What others change meanwhile is shown before it is deployed. */
export function ApplyForm({ environment, view: { changeSet, summary }, onClose }: ApplyFormProps) {
  const { trpc } = usePlane();
  const { organization = '', project = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const [message, setMessage] = useState('');
  const [downtime, setDowntime] = useState(false);
  const { needsApproval, requiresDowntime } = summary;
  const said = message.trim() || undefined;
  const apply = useOperation(trpc.changeSets.applyDraft, {
    failed: 'The changes could not be deployed',
    succeeded: begun('Deployment started'),
    quiet: true,
    touches: [trpc.environments.pathKey(), trpc.deployments.pathKey()],
    done: ({ approval, deployments: [first, ...others] }) => {
      const next: LinkProps =
        approval !== undefined
          ? { to: '/$organization/approvals/$approval', params: { organization, approval: approval.id } }
          : first !== undefined && others.length === 0
            ? deploymentLink(first, organization)
            : {
                to: '/$organization/p/$project/e/$environment/deployments',
                params: { organization, project, environment: environment.slug },
              };
      // The page takes the place of the dialog in the browser's history.
      void navigate({ ...next, replace: true, ignoreBlocker: true });
    },
  });
  const body = {
    source: 'console',
    expectedRevision: changeSet.revision,
    message: said,
    // The person who decides is shown the reason.
    reason: needsApproval ? said : undefined,
    downtimeAccepted: downtime || undefined,
  } as const;
  // Accepted before, it is remembered; what the summary cannot foresee, the control plane asks.
  const asksDowntime =
    (requiresDowntime && !changeSet.downtimeAccepted) || downtime || apply.problem?.downtime === true;
  return (
    <Form
      problem={apply.problem}
      places={['message']}
      onSubmit={() => apply.send({ path: { id: changeSet.id }, body })}
    >
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
