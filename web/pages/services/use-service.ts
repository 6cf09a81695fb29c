import { useParams } from '@tanstack/react-router';
import { type Sought, useBySlug } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { type EnvironmentAnswer, useEnvironment } from '../environments/use-environment.ts';
import { type ServiceOverview, useOverview } from '../environments/use-overview.ts';

/** With the settings that the environment of the address wants. */
export type ServiceAnswer = Answers['services']['list']['items'][number];

export interface Placed {
  service: ServiceAnswer;
  environment: EnvironmentAnswer;
}

/** The service and the environment whose slugs are in the address, for the pages beneath them. */
export function useService(): Sought<Placed> {
  const { trpc } = usePlane();
  const { service: slug } = useParams({ strict: false });
  const { data: environment, ...asked } = useEnvironment();
  const options = { path: { id: environment?.projectId ?? '' }, query: { environmentId: environment?.id ?? '' } };
  const service = useBySlug(trpc.services.list, options, slug, environment !== undefined);
  if (asked.isError) return { ...asked, data: undefined };
  const placed = environment && service.data && { service: service.data, environment };
  return { ...service, data: placed };
}

/** How it is there: release, health, instances, what is under way. */
export function useServiceOverview({ service, environment }: Placed): ServiceOverview | undefined {
  return useOverview(environment.id).data?.find(({ serviceId }) => serviceId === service.id);
}
