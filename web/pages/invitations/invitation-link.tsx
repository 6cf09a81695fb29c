import { formAction } from '../../components/actions/form-action.tsx';
import { CopyBlock } from '../../components/copyable.tsx';
import { Done } from '../../components/dialogs/dialog.tsx';
import { roleChoices } from '../../components/forms/roles.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/times/time.tsx';
import type { Plane } from '../../control-plane/plane.ts';
import type { Answers, OwnMembership } from '../../control-plane/session.ts';

type InvitationWithToken = Answers['invitations']['create'];

/** In place of the form, once the link is made. */
export const linkOnce = {
  title: ({ invitation }: InvitationWithToken) => `Invitation for ${invitation.email}`,
  content: (made: InvitationWithToken, close: () => void) => <InvitationLink made={made} onClose={close} />,
};

/** The link of an invitation: here and never again. */
function InvitationLink({ made, onClose }: { made: InvitationWithToken; onClose: () => void }) {
  const { email, expiresAt } = made.invitation;
  return (
    <div className="flex flex-col gap-4">
      <CopyBlock text={`${location.origin}/invitations/${made.token}`} label="link" />
      <Notice tone="attention" title="Send this link yourself">
        <p>
          Ballast sends no e-mail, and the link is not shown again. You can create a new one in the list of invitations.
        </p>
      </Notice>
      <p className="text-pretty text-soft text-sm">
        Only somebody who signs in with the verified address <span className="text-text">{email}</span> can accept it,
        once. It expires <Time at={expiresAt} />.
      </p>
      <Done onClose={onClose} />
    </div>
  );
}

/** Creates an invitation, then shows its link once. */
export const invite = (trpc: Plane['trpc'], { id, role }: OwnMembership) =>
  formAction({
    label: 'Invite',
    operation: trpc.invitations.create,
    path: { id },
    start: { role: 'viewer' },
    fields: {
      email: { label: 'E-mail', hint: 'The person who accepts must have verified this address.' },
      role: { choices: roleChoices(role) },
    },
    title: 'Invite somebody',
    submit: 'Create link',
    succeeded: ({ invitation }) => `Invitation for ${invitation.email} created`,
    after: linkOnce,
  });
