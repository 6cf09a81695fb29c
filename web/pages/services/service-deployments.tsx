import { Loaded } from '../../components/states.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { DeploymentTable } from '../deployments/deployment-table.tsx';
import { type Placed, useService } from './use-service.ts';

/** The deployments of a service in an environment, the newest first. */
export function ServiceDeployments() {
  return <Loaded query={useService()}>{(placed) => <Deployments {...placed} />}</Loaded>;
}

function Deployments({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const pages = usePages(trpc.deployments.list, {
    query: { environmentId: environment.id, serviceId: service.id, limit: 50 },
  });
  return <DeploymentTable pages={pages} />;
}
