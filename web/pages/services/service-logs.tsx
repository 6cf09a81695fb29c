import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../components/states.tsx';
import { EnvironmentLog } from '../environments/log/environment-log.tsx';
import { useService } from './use-service.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service');

/** The logs of a service's instances in an environment. */
export function ServiceLogs() {
  const { project } = route.useParams();
  return (
    <Loaded query={useService()}>
      {({ service, environment: { slug, clusterId = '' } }) => (
        <EnvironmentLog clusterId={clusterId} place={`${project}/${slug}/${service.slug}`} name={service.name} />
      )}
    </Loaded>
  );
}
