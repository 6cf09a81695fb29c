import { queryOptions, useQuery } from '@tanstack/react-query';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { ConsoleRouter } from '../../api/engine/trpc/trpc.ts';
import { mayActAs, type Role } from '../../domain/roles.ts';
import { personPlane, usePlane } from './plane.ts';
import { problemOf } from './problem.ts';

/** Answers of the operations: `Answers['teams']['list']`. */
export type Answers = inferRouterOutputs<ConsoleRouter>;
/** What the operations take. */
export type Inputs = inferRouterInputs<ConsoleRouter>;
export type Session = Answers['auth']['session'];
export type OwnMembership = Session['organizations'][number];

/** The session. A person who is signed out is sent to the sign-in page and returns here. */
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

/** The person's membership in the displayed organization. */
export function useMembership(): OwnMembership {
  const { organizationId } = usePlane();
  const membership = useSession()?.organizations.find(({ id }) => id === organizationId);
  if (membership === undefined) throw new Error('No organization is shown here.');
  return membership;
}

/** Whether the role allows an action. Others are not offered; the API decides in any case. */
export function useMay(needed: Role): boolean {
  return mayActAs(useMembership().role, needed);
}

/** The same for several actions. Nothing needs a role on the pages of a person, which belong to no organization. */
export function useRights(): (needed: Role) => boolean {
  const { organizationId } = usePlane();
  const role = useSession()?.organizations.find(({ id }) => id === organizationId)?.role;
  return (needed) => organizationId === undefined || (role !== undefined && mayActAs(role, needed));
}

function signInAgain(): void {
  const here = `${location.pathname}${location.search}`;
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`);
}
