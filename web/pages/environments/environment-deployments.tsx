import { Loaded } from '../../components/states.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { DeploymentTable } from '../deployments/deployment-table.tsx';
import { useEnvironment } from './use-environment.ts';

/** All deployments of an environment, the newest first. */
export function EnvironmentDeployments() {
  return <Loaded query={useEnvironment()}>{({ id }) => <Deployments id={id} />}</Loaded>;
}

function Deployments({ id }: { id: string }) {
  const { trpc } = usePlane();
  const pages = usePages(trpc.deployments.list, { query: { environmentId: id, limit: 50 } });
  return <DeploymentTable pages={pages} with={['service']} />;
}
