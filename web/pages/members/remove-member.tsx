import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { useChange } from '../../control-plane/change.ts';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import { sessionQuery, useMembership, useSession } from '../../control-plane/session.ts';
import type { Member } from './member.ts';

interface RemoveMemberProps {
  member: Member;
  open: boolean;
  onClose: () => void;
}

/** Removes a member, or leaves if the member is oneself. */
export function RemoveMember(props: RemoveMemberProps) {
  const isSelf = useSession()?.user.id === props.member.userId;
  return isSelf ? <Leave {...props} /> : <Remove {...props} />;
}

function Remove({ member, open, onClose }: RemoveMemberProps) {
  const { client, trpc } = usePlane();
  const { id, name } = useMembership();
  const query = { createdBy: member.userId, live: true, limit: 200 };
  const tokens = useQuery({ ...trpc.apiTokens.list.queryOptions({ query }), enabled: open }).data;
  const remove = useChange(
    (_: undefined, sent) => client.members.remove.mutate({ path: { id, userId: member.userId } }, sent),
    {
      failed: `${member.name} could not be removed`,
      succeeded: `${member.name} removed`,
      quiet: true,
      done: onClose,
      touches: () => [trpc.members.pathKey(), trpc.teams.pathKey()],
    },
  );
  return (
    <DeleteDialog
      open={open}
      onClose={onClose}
      title={`Remove ${member.name}?`}
      confirm={`Remove ${member.name}`}
      affected={[
        { what: 'Leaves these teams', names: member.teams.map((team) => team.name) },
        { what: 'API tokens that end', names: tokens?.items.map((token) => token.name) ?? [] },
      ]}
      change={remove}
      onConfirm={() => remove.send(undefined)}
    >
      {member.email} loses access to {name} with the next request. API tokens that this person created end; invitations
      stay: revoke those that you no longer want.
    </DeleteDialog>
  );
}

function Leave({ open, onClose }: RemoveMemberProps) {
  const { client } = usePlane();
  const { id, name } = useMembership();
  const navigate = useNavigate();
  const goOn = async () => {
    // The first page chooses among the organizations that are left.
    await personPlane.queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await navigate({ to: '/' });
  };
  const leave = useChange((_: undefined, sent) => client.organizations.leave.mutate({ path: { id } }, sent), {
    failed: `You could not leave ${name}`,
    succeeded: `You left ${name}`,
    quiet: true,
    done: () => void goOn(),
  });
  return (
    <DeleteDialog
      open={open}
      onClose={onClose}
      title={`Leave ${name}?`}
      confirm={`Leave ${name}`}
      change={leave}
      onConfirm={() => leave.send(undefined)}
    >
      You lose access to it, and only an invitation brings you back. API tokens that you created end; invitations stay.
    </DeleteDialog>
  );
}
