import { getRouteApi, Link } from '@tanstack/react-router';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Badge } from '../../components/status.tsx';
import { useDeploymentTools } from '../deployments/again/deployment-tools.ts';
import { promoteAction } from '../deployments/promotion/promote-action.tsx';
import type { EnvironmentAnswer } from '../environments/use-environment.ts';
import { useOverview } from '../environments/use-overview.ts';
import { LastDeployment } from './service-columns.tsx';
import { ServiceHealth } from './service-health.tsx';
import type { ServiceAnswer } from './use-service.ts';

const route = getRouteApi('/$organization/p/$project');

interface ServicePlaceProps {
  service: ServiceAnswer;
  environment: EnvironmentAnswer;
  /** Beside which it stands: an image that differs from theirs is told. */
  others: readonly EnvironmentAnswer[];
}

/** A service in one environment, as a cell: release, health, drift, and the deployment that is under way. */
export function ServicePlace({ service, environment, others }: ServicePlaceProps) {
  const params = route.useParams();
  const here = usePlaced(environment.id, service.id);
  if (here === undefined) return <span className="text-faint">Not there</span>;
  const { activeReleaseNumber, pendingDeployment, failedDeployment } = here;
  return (
    <span className="flex flex-col items-start gap-0.5 py-0.5">
      <span className="flex flex-wrap items-center gap-x-2">
        <Link
          to="/$organization/p/$project/e/$environment/s/$service"
          params={{ ...params, environment: environment.slug, service: service.slug }}
          className="rounded-sm font-medium text-text hover:underline"
        >
          {activeReleaseNumber === undefined ? 'No release' : `Release ${activeReleaseNumber}`}
          <span className="sr-only">
            {' '}
            of {service.name} in {environment.name}
          </span>
        </Link>
        {!environment.production && others.map((one) => <Ahead key={one.id} of={here} than={one} />)}
      </span>
      <span className="text-text">
        <ServiceHealth of={here} />
      </span>
      {!environment.production &&
        others.map((to) => <PromoteTo key={to.id} to={to} of={here} from={environment} service={service} />)}
      {(pendingDeployment !== undefined || failedDeployment !== undefined) && <LastDeployment of={here} />}
    </span>
  );
}

function usePlaced(environmentId: string, serviceId: string) {
  return useOverview(environmentId).data?.find((one) => one.serviceId === serviceId);
}

/** Drift: production runs another image. */
function Ahead({ of, than }: { of: Placed; than: EnvironmentAnswer }) {
  const other = usePlaced(than.id, of.serviceId)?.activeReleaseDigest ?? '';
  if (!than.production || other === '' || of.activeReleaseDigest === '' || other === of.activeReleaseDigest)
    return null;
  return <Badge tone="live">differs from {than.name}</Badge>;
}

type Placed = NonNullable<ReturnType<typeof usePlaced>>;

/** The next step of an image that production does not run yet. */
function PromoteTo({ to, of, from, service }: Record<'to' | 'from', EnvironmentAnswer> & PromoteToProps) {
  const tools = useDeploymentTools();
  const there = usePlaced(to.id, service.id);
  const { activeReleaseId: releaseId, activeReleaseNumber: releaseNumber } = of;
  if (!to.production || there === undefined || releaseId === undefined || releaseNumber === undefined) return null;
  if (there.activeReleaseDigest === of.activeReleaseDigest) return null;
  const release = { releaseId, releaseNumber, environmentName: from.name };
  const named = { serviceId: service.id, serviceName: service.name };
  return <OneAction action={promoteAction({ ...named, ...release }, to, tools)} small />;
}

interface PromoteToProps {
  of: Placed;
  service: ServiceAnswer;
}
