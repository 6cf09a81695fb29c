import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { InItsService } from '../services/in-its-service.tsx';

const route = getRouteApi('/$organization/deployments/$deployment');

/** A deployment of which only the id is known. */
export function DeploymentPlace() {
  const { deployment: id } = route.useParams();
  const query = useQuery(usePlane().trpc.deployments.get.queryOptions({ path: { id } }));
  return <InItsService query={query} noun="Deployment" at="deployments/$deployment" />;
}
