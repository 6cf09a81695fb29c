import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../components/states.tsx';
import { EnvironmentLog } from './log/environment-log.tsx';
import { useEnvironment } from './use-environment.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment');

/** The logs of all services of an environment, by time. */
export function EnvironmentLogs() {
  const { project } = route.useParams();
  return (
    <Loaded query={useEnvironment()}>
      {({ clusterId = '', slug, name }) => (
        <EnvironmentLog clusterId={clusterId} place={`${project}/${slug}`} name={name} />
      )}
    </Loaded>
  );
}
