import { useNavigate } from '@tanstack/react-router';
import type { Action } from '../../components/actions/action.ts';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { namesIn } from '../../components/dialogs/affected-list.tsx';
import { type Plane, personPlane, usePlane } from '../../control-plane/plane.ts';
import {
  type Answers,
  type OwnMembership,
  sessionQuery,
  useMembership,
  useSession,
} from '../../control-plane/session.ts';

export type Member = Answers['members']['list']['items'][number];

/** A member is removed, or leaves: the actions on one of them. */
export function useMemberActions(): (member: Member) => readonly Action[] {
  const { trpc } = usePlane();
  const own = useMembership();
  const { id, name: organization } = own;
  const self = useSession()?.user.id;
  const navigate = useNavigate();
  const leave = leaveAction(trpc, own, {
    label: 'Leave the organization',
    done: async () => {
      // The first page chooses among the organizations that are left.
      await personPlane.queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await navigate({ to: '/' });
    },
  });
  const remove = ({ userId, name, email, role, teams }: Member) =>
    deleteAction({
      verb: 'Remove',
      role: role === 'owner' ? 'owner' : 'admin',
      name,
      operation: trpc.members.remove,
      path: { id, userId },
      touches: [trpc.teams.pathKey()],
      affected: [
        { what: 'Leaves these teams', names: teams.map((team) => team.name) },
        {
          what: 'API tokens that end',
          names: namesIn(trpc.apiTokens.list.queryOptions({ query: { createdBy: userId, live: true, limit: 200 } })),
        },
      ],
      consequences: `${email} loses access to ${organization} with the next request. API tokens that this person created end; invitations stay: revoke those that you no longer want.`,
    });
  return (member) => [member.userId === self ? leave : remove(member)];
}

/** Texts of a member in which words are sought. */
export function memberTexts({ name, email, teams }: Member): string[] {
  return [name, email, ...teams.map((team) => team.name)];
}

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
