import { useQueries, useQuery } from '@tanstack/react-query';
import type { TellsAsOf } from '../../components/status.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

type Overview = Answers['environments']['overview'];
/** A service in an environment, as current as the agent's last report. */
export type ServiceOverview = Overview['services'][number] & TellsAsOf;

/** Whether it belongs there; a change that is held for its approval would add it first. */
export function isAdded({ activeReleaseId, stagedIn, blocker }: ServiceOverview): boolean {
  return activeReleaseId !== undefined || stagedIn !== undefined || blocker !== 'approval';
}

/** The services of an environment: what runs, how it is, and what is under way. */
export function useOverview(environmentId: string) {
  const { trpc } = usePlane();
  return useQuery({
    ...trpc.environments.overview.queryOptions({ path: { id: environmentId } }),
    select: servicesOf,
  });
}

/** The same of several environments, in their order. */
export function useOverviews(environmentIds: readonly string[]): (ServiceOverview[] | undefined)[] {
  const { trpc } = usePlane();
  return useQueries({
    queries: environmentIds.map((id) => ({
      ...trpc.environments.overview.queryOptions({ path: { id } }),
      select: servicesOf,
    })),
  }).map(({ data }) => data);
}

function servicesOf({ services, asOf }: Overview): ServiceOverview[] {
  return asOf === undefined ? services : services.map((service) => ({ ...service, asOf }));
}
