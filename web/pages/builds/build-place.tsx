import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';

const route = getRouteApi('/$organization/builds/$build');

/** Leads to the page of a build, whose address has the slugs of what it belongs to. */
export function BuildPlace() {
  const { trpc } = usePlane();
  const { organization, build: id } = route.useParams();
  const build = useQuery(trpc.builds.get.queryOptions({ path: { id } }));
  const { projectId, environmentId, serviceId } = build.data ?? { projectId: '', environmentId: '', serviceId: '' };
  const known = { enabled: build.data !== undefined };
  const project = useQuery(trpc.projects.get.queryOptions({ path: { id: projectId } }, known));
  const environment = useQuery(trpc.environments.get.queryOptions({ path: { id: environmentId } }, known));
  const service = useQuery(trpc.services.get.queryOptions({ path: { id: serviceId }, query: {} }, known));
  return (
    <ThingPage query={build.isError ? { ...build, data: undefined } : service} noun="Build">
      {() =>
        project.data !== undefined &&
        environment.data !== undefined &&
        service.data !== undefined && (
          <Navigate
            to="/$organization/p/$project/e/$environment/s/$service/builds/$build"
            params={{
              organization,
              project: project.data.slug,
              environment: environment.data.slug,
              service: service.data.slug,
              build: id,
            }}
            hash={(hash) => hash ?? ''}
            replace
          />
        )
      }
    </ThingPage>
  );
}
