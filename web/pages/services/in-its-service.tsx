import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import type { Sought } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';

interface Thing {
  id: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
}

interface InItsServiceProps {
  query: Sought<Thing>;
  noun: string;
  /** Its page, and its parameter there. */
  at: 'builds/$build' | 'deployments/$deployment';
}

/** Leads from an address that has only an id to the page of the thing, whose address has the slugs of what it belongs to. */
export function InItsService({ query, noun, at }: InItsServiceProps) {
  const { trpc } = usePlane();
  const { organization = '' } = useParams({ strict: false });
  const { id, projectId, environmentId, serviceId } = query.data ?? { projectId: '', environmentId: '', serviceId: '' };
  const known = { enabled: query.data !== undefined };
  const project = useQuery(trpc.projects.get.queryOptions({ path: { id: projectId } }, known));
  const environment = useQuery(trpc.environments.get.queryOptions({ path: { id: environmentId } }, known));
  const service = useQuery(trpc.services.get.queryOptions({ path: { id: serviceId }, query: {} }, known));
  return (
    <ThingPage query={query.isError ? { ...query, data: undefined } : service} noun={noun}>
      {() =>
        project.data !== undefined &&
        environment.data !== undefined &&
        service.data !== undefined && (
          <Navigate
            to={`/$organization/p/$project/e/$environment/s/$service/${at}`}
            params={{
              ...{ organization, project: project.data.slug, environment: environment.data.slug },
              ...{ service: service.data.slug, build: id ?? '', deployment: id ?? '' },
            }}
            hash={(hash) => hash ?? ''}
            replace
          />
        )
      }
    </ThingPage>
  );
}
