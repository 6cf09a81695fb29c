import { formAction } from '../../components/actions/form-action.tsx';
import { roleChoices } from '../../components/forms/roles.tsx';
import type { Plane } from '../../control-plane/plane.ts';
import type { OwnMembership } from '../../control-plane/session.ts';
import { linkOnce } from './invitation-link.tsx';

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
