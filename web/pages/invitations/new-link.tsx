import { useState } from 'react';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Form } from '../../components/forms/form.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Invitation } from './invitation.ts';
import { InvitationLink, type InvitationWithToken } from './invitation-link.tsx';

/** Renews an invitation, with a new link that is shown once. */
export function NewLink({ invitation, open, onClose }: { invitation: Invitation; open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<InvitationWithToken>();
  const { email } = invitation;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => setMade(undefined)}
      title={made === undefined ? `New link for ${email}?` : `Invitation for ${email}`}
    >
      {made === undefined ? (
        <NewLinkForm invitation={invitation} onMade={setMade} onClose={onClose} />
      ) : (
        <InvitationLink made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

function NewLinkForm({
  invitation,
  onMade,
  onClose,
}: {
  invitation: Invitation;
  onMade: (made: InvitationWithToken) => void;
  onClose: () => void;
}) {
  const { client, trpc } = usePlane();
  const resend = useChange(
    (_: undefined, sent) => client.invitations.resend.mutate({ path: { id: invitation.id } }, sent),
    {
      failed: 'The link could not be created',
      succeeded: 'New link created',
      quiet: true,
      secret: true,
      done: onMade,
      touches: () => [trpc.invitations.pathKey()],
    },
  );
  return (
    <Form problem={resend.problem} places={[]} onSubmit={() => resend.send(undefined)}>
      <p className="text-pretty text-soft text-sm">
        The previous link stops working, and the time to accept starts again.
      </p>
      <SubmitOrCancel onCancel={onClose} busy={resend.sending}>
        Create a new link
      </SubmitOrCancel>
    </Form>
  );
}
