import { useQuery } from '@tanstack/react-query';
import { mayActAs } from '../../../domain/roles.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';

/** Whether anybody but this person may decide about approvals. Undefined: not known yet, or not asked for. */
export function useOtherDeciders(asked: boolean): boolean | undefined {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const person = useSession()?.user;
  const members = useQuery(
    trpc.members.list.queryOptions({ path: { id }, query: { limit: 200 } }, { enabled: asked }),
  ).data;
  return members?.items.some(({ userId, role }) => userId !== person?.id && mayActAs(role, 'admin'));
}
