import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { roleChoices } from '../../components/forms/roles.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { InvitationLink } from './invitation-link.tsx';

/** Creates an invitation, then shows its link once. */
export function Invite({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { trpc } = usePlane();
  const { id, role } = useMembership();
  return (
    <FormDialog
      operation={trpc.invitations.create}
      path={{ id }}
      start={{ role: 'viewer' }}
      fields={{
        email: { label: 'E-mail', hint: 'The person who accepts must have verified this address.' },
        role: { choices: roleChoices(role) },
      }}
      title="Invite somebody"
      submit="Create link"
      succeeded={({ invitation }) => `Invitation for ${invitation.email} created`}
      after={{
        title: ({ invitation }) => `Invitation for ${invitation.email}`,
        content: (made, close) => <InvitationLink made={made} onClose={close} />,
      }}
      open={open}
      onClose={onClose}
    />
  );
}
