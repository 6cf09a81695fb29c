import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../components/states.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { EnvironmentLog } from '../environments/log/environment-log.tsx';
import type { DeploymentAnswer } from './deployment-words.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service/deployments/$deployment');

/** The logs of the service while and since it was deployed. */
export function DeploymentLogs({ deployment }: { deployment: DeploymentAnswer }) {
  const { trpc } = usePlane();
  const { environmentId, serviceName } = deployment;
  const { project, environment: slug, service } = route.useParams();
  const environment = useQuery(trpc.environments.get.queryOptions({ path: { id: environmentId } }));
  return (
    <Loaded query={environment}>
      {({ clusterId = '' }) => (
        <EnvironmentLog clusterId={clusterId} place={`${project}/${slug}/${service}`} name={serviceName} />
      )}
    </Loaded>
  );
}
