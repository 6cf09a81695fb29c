import { useQuery } from '@tanstack/react-query';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';

export interface KnownNames {
  members: { id: string; label: string }[];
  tokens: { id: string; label: string }[];
  /** Name behind an id, if the person or thing still exists. */
  nameOf: (id: string) => string | undefined;
}

/** Names for filters and details, from the first two hundred of each kind. Records carry their own names. */
export function useKnownNames(): KnownNames {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const limit = 200;
  const members = useQuery(trpc.members.list.queryOptions({ path: { id }, query: { limit } })).data?.items ?? [];
  const tokens = useQuery(trpc.apiTokens.list.queryOptions({ query: { limit } })).data?.items ?? [];
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit } })).data?.items ?? [];
  const names = new Map([
    ...clusters.map((cluster) => [cluster.id, cluster.name] as const),
    ...tokens.map((token) => [token.id, token.name] as const),
    ...members.map(({ userId, name }) => [userId, name] as const),
  ]);
  const twice = new Set(members.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index));
  return {
    members: members.map(({ userId, name, email }) => ({
      id: userId,
      label: twice.has(name) ? `${name} (${email})` : name,
    })),
    tokens: tokens.map(({ id, name }) => ({ id, label: name })),
    nameOf: (id) => names.get(id),
  };
}
