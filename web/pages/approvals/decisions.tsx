import { useState } from 'react';
import type { DialogAction, Shown } from '../../components/actions/action.ts';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { type ApprovalAnswer, titleOf } from './approval-words.tsx';

/** As much of an approval as a decision needs. */
export type Decidable = Pick<ApprovalAnswer, 'id' | 'kind' | 'environmentName' | 'requestedBy' | 'requestedById'>;

type Way = 'approve' | 'reject' | 'break-glass';

interface WayWords {
  label: string;
  /** Of the dialog, before the title of the approval. */
  title: string;
  submit: string;
  danger?: true;
  hint: string;
  done: string;
}

const ways: Record<Way, WayWords> = {
  approve: {
    ...{ label: 'Approve', title: 'Approve', submit: 'Approve', done: 'Approved' },
    hint: 'For the person who asked, and for the audit log. Optional.',
  },
  reject: {
    ...{ label: 'Reject', title: 'Reject', submit: 'Reject', danger: true, done: 'Rejected' },
    hint: 'For the person who asked, and for the audit log. Optional.',
  },
  'break-glass': {
    ...{ label: 'Break glass', title: 'Break glass', submit: 'Break glass and approve', danger: true },
    ...{
      hint: 'Why nobody else could decide. All administrators and owners read it.',
      done: 'Approved by break-glass',
    },
  },
};

/** A decision with its dialog, which asks for the reason: nothing is decided by a press of a button or a key alone. */
export function decision(way: Way, approval: Decidable): DialogAction {
  const { label, danger } = ways[way];
  return {
    label,
    role: way === 'break-glass' ? 'owner' : 'admin',
    danger,
    dialog: (shown) => <DecisionDialog way={way} approval={approval} {...shown} />,
  };
}

/** Takes back what was requested; none where its deployment has been deleted. */
export function withdrawal(
  { changeSetId, deploymentId, ...approval }: Decidable & Pick<ApprovalAnswer, 'changeSetId' | 'deploymentId'>,
  trpc: Plane['trpc'],
): DialogAction | undefined {
  const shared = {
    role: 'deployer',
    verb: 'Withdraw',
    noun: 'request',
    succeeded: 'Withdrawn',
    name: `the request: ${titleOf(approval)}`,
    touches: [trpc.approvals.pathKey(), trpc.deployments.pathKey(), trpc.environments.pathKey()],
  } as const;
  if (changeSetId !== undefined) {
    const consequences = 'Nothing is deployed, and its changes are staged again.';
    return deleteAction({ ...shared, operation: trpc.changeSets.cancel, path: { id: changeSetId }, consequences });
  }
  if (deploymentId === undefined) return undefined;
  const consequences = 'Nothing is deployed.';
  return deleteAction({ ...shared, operation: trpc.deployments.cancel, path: { id: deploymentId }, consequences });
}

function DecisionDialog({ way, approval, open, onClose }: { way: Way; approval: Decidable } & Shown) {
  const { title, danger } = ways[way];
  return (
    <Dialog open={open} onClose={onClose} title={`${title}: ${titleOf(approval)}`} alert={danger === true}>
      <DecisionForm way={way} approval={approval} onClose={onClose} />
    </Dialog>
  );
}

function DecisionForm({ way, approval, onClose }: { way: Way; approval: Decidable; onClose: () => void }) {
  const { id } = approval;
  const { hint, submit, danger, done } = ways[way];
  const { trpc } = usePlane();
  const [reason, setReason] = useState('');
  const given = reason.trim();
  const words = {
    failed: 'The decision could not be made',
    succeeded: done,
    quiet: true,
    touches: [trpc.deployments.pathKey()],
    done: onClose,
  } as const;
  const decide = useOperation(trpc.approvals.decide, words);
  const glass = useOperation(trpc.approvals.breakGlass, words);
  const isGlass = way === 'break-glass';
  const change = isGlass ? glass : decide;
  const send = () =>
    isGlass
      ? glass.send({ path: { id }, body: { reason: given } })
      : decide.send({
          path: { id },
          body: { decision: way === 'approve' ? 'approved' : 'rejected', reason: given || undefined },
        });
  return (
    <Form problem={change.problem} places={['reason']} onSubmit={send}>
      <p className="text-pretty text-soft text-sm">{consequenceOf(way, approval)}</p>
      <TextField name="reason" label="Reason" value={reason} onChange={setReason} maxLength={2000} hint={hint} first />
      <SubmitOrCancel
        onCancel={onClose}
        busy={change.sending}
        disabled={isGlass && given === ''}
        look={danger === true ? 'danger' : 'strong'}
      >
        {submit}
      </SubmitOrCancel>
    </Form>
  );
}

function consequenceOf(way: Way, { environmentName, requestedBy }: Decidable): string {
  if (way === 'approve') return `What is shown is deployed to ${environmentName}.`;
  if (way === 'reject')
    return `Nothing changes in ${environmentName}. What ${requestedBy} had staged returns to the draft.`;
  return `You approve it in place of another administrator or owner. What is shown is deployed to ${environmentName}; all administrators and owners are told, in their inboxes and channels, and the audit log keeps it.`;
}
