import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';

const route = getRouteApi('/$organization/deployments/$deployment');

/** Leads to the page of a deployment, whose address has the slugs of what it belongs to. */
export function DeploymentPlace() {
  const { trpc } = usePlane();
  const { organization, deployment: id } = route.useParams();
  const deployment = useQuery(trpc.deployments.get.queryOptions({ path: { id } }));
  const { projectId, environmentId, serviceId } = deployment.data ?? {
    projectId: '',
    environmentId: '',
    serviceId: '',
  };
  const known = { enabled: deployment.data !== undefined };
  const project = useQuery(trpc.projects.get.queryOptions({ path: { id: projectId } }, known));
  const environment = useQuery(trpc.environments.get.queryOptions({ path: { id: environmentId } }, known));
  const service = useQuery(trpc.services.get.queryOptions({ path: { id: serviceId }, query: {} }, known));
  return (
    <ThingPage query={deployment.isError ? { ...deployment, data: undefined } : service} noun="Deployment">
      {() =>
        project.data !== undefined &&
        environment.data !== undefined &&
        service.data !== undefined && (
          <Navigate
            to="/$organization/p/$project/e/$environment/s/$service/deployments/$deployment"
            params={{
              organization,
              project: project.data.slug,
              environment: environment.data.slug,
              service: service.data.slug,
              deployment: id,
            }}
            replace
          />
        )
      }
    </ThingPage>
  );
}
