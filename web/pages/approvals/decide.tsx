import { useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useSession } from '../../control-plane/session.ts';
import type { ApprovalAnswer } from './approval-words.tsx';
import { useOtherDeciders } from './other-deciders.ts';

/** The decision about a pending approval, for those who may make it. */
export function Decide({ approval }: { approval: ApprovalAnswer }) {
  const mayDecide = useMay('admin');
  const own = useOwn(approval);
  if (!mayDecide) return <Notice tone="attention">Waits for an administrator or an owner of the organization.</Notice>;
  if (own === 'others') {
    return <Notice tone="attention">You requested this, so another administrator or owner decides.</Notice>;
  }
  return (
    <Section title="Decide">
      <div className="flex flex-col gap-3 p-4">
        {own === 'alone' && (
          <Notice>
            You may approve your own change, because you are the only one who may. It is recorded as that.
          </Notice>
        )}
        <DecisionForm approval={approval} />
      </div>
    </Section>
  );
}

/** Whether the person requested it, and whether others may decide. The control plane decides in any case. */
function useOwn({ requestedById }: ApprovalAnswer): 'no' | 'alone' | 'others' {
  const own = useSession()?.user.id === requestedById;
  const others = useOtherDeciders(own);
  if (!own || others === undefined) return 'no';
  return others ? 'others' : 'alone';
}

function DecisionForm({ approval: { id, stale } }: { approval: ApprovalAnswer }) {
  const { client, trpc } = usePlane();
  const [reason, setReason] = useState('');
  const decide = useChange(
    (decision: 'approved' | 'rejected', sent: Sent) =>
      client.approvals.decide.mutate(
        { path: { id }, body: { decision, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) } },
        sent,
      ),
    {
      failed: 'The decision could not be made',
      succeeded: (_, decision) => (decision === 'approved' ? 'Approved' : 'Rejected'),
      quiet: true,
      touches: () => [trpc.approvals.pathKey(), trpc.deployments.pathKey()],
    },
  );
  return (
    <Form problem={decide.problem} places={['reason']} onSubmit={() => decide.send(stale ? 'rejected' : 'approved')}>
      <TextField
        name="reason"
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={2000}
        hint="For the person who asked, and for the audit log. Optional."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="danger" busy={decide.sending} onClick={() => decide.send('rejected')}>
          Reject
        </Button>
        {!stale && (
          <Button type="submit" look="strong" busy={decide.sending}>
            Approve
          </Button>
        )}
      </div>
    </Form>
  );
}
