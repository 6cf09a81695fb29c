import { useQuery } from '@tanstack/react-query';
import { isId } from '../../../domain/ids.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';

/** The creator of a thing: a member, who is recorded by id, or a machine, by its name. */
export function Maker({ id }: { id: string }) {
  return isId(id) ? <Person id={id} /> : <span className="break-words">{id}</span>;
}

function Person({ id }: { id: string }) {
  const { trpc } = usePlane();
  const organization = useMembership();
  const path = { id: organization.id };
  const members = useQuery(trpc.members.list.queryOptions({ path, query: { limit: 200 } })).data;
  const listed = members?.items.find(({ userId }) => userId === id);
  // A member beyond the first page is fetched individually. If the list is complete, the person has left.
  const unlisted = members !== undefined && listed === undefined && members.nextCursor !== undefined;
  const asked = useQuery({
    ...trpc.members.get.queryOptions({ path: { ...path, userId: id } }),
    enabled: unlisted,
  });
  const name = listed?.name ?? asked.data?.name;
  if (name !== undefined) return name;
  return members === undefined || (unlisted && asked.isPending) ? '…' : 'a former member';
}
