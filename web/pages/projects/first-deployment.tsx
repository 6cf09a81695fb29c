import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { DeploymentFailure } from '../deployments/deployment-failure.tsx';
import { DeploymentStages } from '../deployments/deployment-stages.tsx';
import { DeploymentStatus } from '../deployments/deployment-status.tsx';
import { DeploymentWhy } from '../deployments/deployment-why.tsx';
import type { DeploymentAnswer } from '../deployments/deployment-words.ts';
import { deploymentLink } from '../deployments/deployment-words.ts';
import { useOverview } from '../environments/use-overview.ts';
import { ServiceAddresses } from '../services/service-addresses.tsx';

const route = getRouteApi('/$organization/new-project');

/** The first deployment of a new project, until it answers. */
export function FirstDeployment({ id }: { id: string }) {
  const { trpc } = usePlane();
  const query = useQuery(trpc.deployments.get.queryOptions({ path: { id } }));
  return (
    <ThingPage query={query} noun="Deployment">
      {(deployment) => <Followed deployment={deployment} />}
    </ThingPage>
  );
}

function Followed({ deployment }: { deployment: DeploymentAnswer }) {
  const { organization } = route.useParams();
  const { project = '', environment = '' } = route.useSearch();
  const { state, serviceName, environmentName, environmentId, serviceId } = deployment;
  const service = useOverview(environmentId).data?.find((one) => one.serviceId === serviceId);
  const place = {
    to: '/$organization/p/$project/e/$environment',
    params: { organization, project, environment },
  } as const;
  return (
    <>
      <Section bare>
        <div aria-live="polite" className="flex flex-wrap items-center justify-between gap-3">
          <p className="flex flex-wrap items-center gap-x-3 text-base">
            {serviceName} in {environmentName} <DeploymentStatus deployment={deployment} />
          </p>
          <span className="flex flex-wrap items-center gap-2">
            {state === 'live' && service !== undefined && <ServiceAddresses of={service} strong />}
            {state === 'live' && (
              <ButtonLink to="/$organization/p/$project" params={{ organization, project }}>
                Go to the project
              </ButtonLink>
            )}
            {isDeploymentFinal(state) && <ButtonLink {...place}>Go to {environmentName}</ButtonLink>}
            {state === 'failed' && (
              <ButtonLink {...deploymentLink(deployment, organization)}>Show the deployment</ButtonLink>
            )}
          </span>
        </div>
      </Section>
      <DeploymentWhy deployment={deployment} />
      <DeploymentFailure deployment={deployment} />
      <DeploymentStages deployment={deployment} />
    </>
  );
}
