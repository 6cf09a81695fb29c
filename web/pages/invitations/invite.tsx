import { useState } from 'react';
import type { Role } from '../../../domain/roles.ts';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { RoleField } from '../../components/forms/roles.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { InvitationLink, type InvitationWithToken } from './invitation-link.tsx';

/** Creates an invitation, then shows its link once. */
export function Invite({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<InvitationWithToken>();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => setMade(undefined)}
      title={made === undefined ? 'Invite somebody' : `Invitation for ${made.invitation.email}`}
    >
      {made === undefined ? (
        <InviteForm onMade={setMade} onClose={onClose} />
      ) : (
        <InvitationLink made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}

function InviteForm({ onMade, onClose }: { onMade: (made: InvitationWithToken) => void; onClose: () => void }) {
  const { client, trpc } = usePlane();
  const organization = useMembership();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const invite = useChange(
    (body: { email: string; role: Role }, sent) =>
      client.invitations.create.mutate({ path: { id: organization.id }, body }, sent),
    {
      failed: 'The invitation could not be created',
      succeeded: ({ invitation }) => `Invitation for ${invitation.email} created`,
      quiet: true,
      secret: true,
      done: onMade,
      touches: () => [trpc.invitations.pathKey()],
    },
  );
  return (
    <Form problem={invite.problem} places={['email']} onSubmit={() => invite.send({ email: email.trim(), role })}>
      <TextField
        name="email"
        type="email"
        label="E-mail"
        hint="The person who accepts must have verified this address."
        value={email}
        onChange={setEmail}
        required
        first
        maxLength={254}
      />
      <RoleField value={role} onChange={setRole} by={organization.role} />
      <SubmitOrCancel onCancel={onClose} busy={invite.sending}>
        Create link
      </SubmitOrCancel>
    </Form>
  );
}
