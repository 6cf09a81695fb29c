import { useQuery } from '@tanstack/react-query';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';

/** What a person's id looks like; whatever else made something is a machine and is kept by its name. */
const personId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Who made a thing: a member by its name, or a machine. */
export function Maker({ id }: { id: string }) {
  return personId.test(id) ? <Person id={id} /> : <span className="break-words">{id}</span>;
}

function Person({ id }: { id: string }) {
  const { trpc } = usePlane();
  const organization = useMembership();
  const path = { id: organization.id };
  const members = useQuery(trpc.members.list.queryOptions({ path, query: { limit: 200 } })).data;
  const listed = members?.items.find(({ userId }) => userId === id);
  // Who is not among the first is asked for by itself, unless all were seen: then the person has left.
  const unlisted = members !== undefined && listed === undefined && members.nextCursor !== undefined;
  const asked = useQuery({
    ...trpc.members.get.queryOptions({ path: { ...path, userId: id } }),
    enabled: unlisted,
  });
  const name = listed?.name ?? asked.data?.name;
  if (name !== undefined) return name;
  return members === undefined || (unlisted && asked.isPending) ? '…' : 'a former member';
}
