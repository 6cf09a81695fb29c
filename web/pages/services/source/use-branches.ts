import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { gitUrlFault, repositoryFault } from '../../../../domain/git/address.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Source } from './source.ts';

/** A repository as both operations that ask its host take it. */
export type Named = { gitUrl: string } | { gitConnectionId: string; repository: string };

/** The repository of a source, once its name or address is whole. */
export function namedIn({ kind, gitConnectionId, repository = '', gitUrl = '' }: Source): Named | undefined {
  if (kind !== 'git') return undefined;
  if (gitConnectionId === undefined) return gitUrlFault(gitUrl) === undefined ? { gitUrl } : undefined;
  const whole = repository !== '' && repositoryFault(repository) === undefined;
  return whole ? { gitConnectionId, repository } : undefined;
}

/** Hosts are asked once somebody has stopped typing for so long. */
const restMillis = 500;

/** A text as it was when somebody last stopped typing. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMillis);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

/** The branches of a repository, as its host tells them now; nothing is asked without one. */
export function useBranches(of: Named | undefined) {
  const { client, trpc } = usePlane();
  return useQuery({
    queryKey: [...trpc.gitConnections.branches.pathKey(), 'of', of],
    queryFn: async ({ signal }) => {
      if (of === undefined) throw new Error('No repository is named.');
      if ('gitUrl' in of) return await client.repositoryConfig.publicBranches.mutate({ body: of }, { signal });
      const { gitConnectionId: id, repository } = of;
      return await client.gitConnections.branches.query({ path: { id }, query: { repository } }, { signal });
    },
    enabled: of !== undefined,
    retry: false,
    // Hosts tell of no new branch by the event stream.
    staleTime: 60_000,
  });
}
