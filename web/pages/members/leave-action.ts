import { deleteAction } from '../../components/actions/delete-action.tsx';
import type { Plane } from '../../control-plane/plane.ts';
import type { OwnMembership } from '../../control-plane/session.ts';

/** Leaves an organization, in whose plane it is shown. */
export const leaveAction = (
  trpc: Plane['trpc'],
  { id, name }: Pick<OwnMembership, 'id' | 'name'>,
  given: { label: string; done: () => void | Promise<void> },
) =>
  deleteAction({
    ...given,
    verb: 'Leave',
    role: 'viewer',
    name,
    operation: trpc.organizations.leave,
    path: { id },
    succeeded: `You left ${name}`,
    consequences:
      'You lose access to it, and only an invitation brings you back. API tokens that you created end; invitations stay.',
  });
