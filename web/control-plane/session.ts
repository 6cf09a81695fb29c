import { queryOptions, useQuery } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import type { ConsoleRouter } from '../../api/engine/trpc/trpc.ts';
import { mayActAs, type Role } from '../../domain/roles.ts';
import { personPlane, usePlane } from './plane.ts';
import { problemOf } from './problem.ts';

/** What operations answer: `Answers['teams']['list']`. */
export type Answers = inferRouterOutputs<ConsoleRouter>;
export type Session = Answers['auth']['session'];
export type OwnMembership = Session['organizations'][number];

/** Who is signed in. Whoever is not any more is led to where people come in, and back here from there. */
export const sessionQuery = queryOptions({
  ...personPlane.trpc.auth.session.queryOptions(),
  retry: (failures: number, error: unknown) => {
    if (problemOf(error).status === 403) {
      signInAgain();
      return true;
    }
    return failures < 5;
  },
});

export function useSession(): Session | undefined {
  return useQuery(sessionQuery, personPlane.queryClient).data;
}

/** The organization that is shown, and who one is there. */
export function useMembership(): OwnMembership {
  const { organizationId } = usePlane();
  const membership = useSession()?.organizations.find(({ id }) => id === organizationId);
  if (membership === undefined) throw new Error('No organization is shown here.');
  return membership;
}

/** Whether the role suffices: what it does not is not offered. The API decides all the same. */
export function useMay(needed: Role): boolean {
  return mayActAs(useMembership().role, needed);
}

function signInAgain(): void {
  const here = `${location.pathname}${location.search}`;
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`);
}
