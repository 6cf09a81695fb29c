import { getRouteApi, Link } from '@tanstack/react-router';
import { OneAction } from '../../../components/actions/one-action.tsx';
import { Badge, Status, wordsOf } from '../../../components/status.tsx';
import { Time } from '../../../components/times/time.tsx';
import { useMembership } from '../../../control-plane/session.ts';
import { useDeploymentTools } from '../../deployments/deployment-actions.tsx';
import { blockers, deploymentLink, isHalted, states } from '../../deployments/deployment-words.ts';
import { promoteAction } from '../../deployments/promotion/promote-action.tsx';
import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import { isAdded, type ServiceOverview } from '../../environments/use-overview.ts';
import { ServiceHealth } from '../../services/service-health.tsx';
import type { ServiceAnswer } from '../../services/use-service.ts';
import { addsTo } from './moves.ts';

const route = getRouteApi('/$organization/p/$project');

interface ReleaseCellProps {
  service: ServiceAnswer;
  column: PlacedColumn;
  /** The other columns, the nearest first: what one of them runs can be added here. */
  others: readonly PlacedColumn[];
}

/** A service in one environment: its release, how that is, and the deployment that waits, rolls or failed. */
export function ReleaseCell({ service, column: { environment, services }, others }: ReleaseCellProps) {
  const here = services?.get(service.id);
  const lacks = services !== undefined && (here === undefined || here.stagedIn !== undefined || !isAdded(here));
  return (
    <span className="flex flex-col items-start gap-0.5 py-0.5">
      {/* On phones there are no headings. */}
      <span aria-hidden="true" className="text-soft text-xs sm:hidden">
        {environment.name}
      </span>
      {here === undefined ? (
        <span className="text-faint">{services !== undefined && 'Not there'}</span>
      ) : (
        <Placed service={service} environment={environment} here={here} />
      )}
      {lacks && here?.pendingDeployment === undefined && (
        <AddHere service={service} environment={environment} others={others} />
      )}
    </span>
  );
}

/** Promotes what the nearest other environment runs to this one, which lacks the service. */
function AddHere({ service, environment, others }: Pick<ReleaseCellProps, 'service' | 'others'> & Environment) {
  const tools = useDeploymentTools();
  const origin = others.find(({ services }) => services?.get(service.id)?.activeReleaseId !== undefined);
  const { activeReleaseId: releaseId, activeReleaseNumber: releaseNumber } = origin?.services?.get(service.id) ?? {};
  if (origin === undefined || releaseId === undefined || releaseNumber === undefined) return null;
  const release = { releaseId, releaseNumber, environmentName: origin.environment.name };
  const promotion = { serviceId: service.id, serviceName: service.name, ...release };
  return (
    <OneAction
      action={promoteAction(promotion, environment, tools, { adds: true })}
      stop={addsTo(environment.id)}
      small
    />
  );
}

type Environment = Pick<PlacedColumn, 'environment'>;

interface PlacedProps extends Pick<PlacedColumn, 'environment'> {
  service: ServiceAnswer;
  here: ServiceOverview;
}

function Placed({ service, environment, here }: PlacedProps) {
  const params = route.useParams();
  const { activeReleaseNumber, activeDeployedAt, activeReleaseDigest, drift, stagedIn } = here;
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        {isAdded(here) ? (
          <Link
            to="/$organization/p/$project/e/$environment/s/$service"
            params={{ ...params, environment: environment.slug, service: service.slug }}
            data-column-stop={environment.id}
            className="rounded-sm font-medium text-text hover:underline"
          >
            {activeReleaseNumber === undefined ? 'No release' : `Release ${activeReleaseNumber}`}
            <span className="sr-only">
              {' '}
              of {service.name} in {environment.name}
            </span>
          </Link>
        ) : (
          'Not there yet'
        )}
        {activeReleaseDigest !== '' && (
          <code title={activeReleaseDigest} className="text-xs">
            {shortVersion(here)}
          </code>
        )}
        {drift && <Badge tone="attention">not live</Badge>}
        {stagedIn !== undefined && <Badge tone="live">staged</Badge>}
      </span>
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="text-text">
          <ServiceHealth of={here} />
        </span>
        {activeDeployedAt !== undefined && <Time at={activeDeployedAt} />}
      </span>
      <Underway of={here} />
    </>
  );
}

/** The deployment that is held or rolls, or the last one if it failed; it leads to its page. */
function Underway({ of: { pendingDeployment, failedDeployment, blocker, message } }: { of: ServiceOverview }) {
  const { slug } = useMembership();
  const deployment = pendingDeployment ?? failedDeployment;
  if (deployment === undefined) return null;
  const { word, tone } =
    pendingDeployment === undefined
      ? ({ word: 'failed', tone: 'fault' } as const)
      : blocker === 'approval'
        ? ({ word: 'held', tone: 'attention' } as const)
        : isHalted({ ...pendingDeployment, blocker })
          ? ({ word: blockers[blocker as keyof typeof blockers].waits, tone: 'attention' } as const)
          : wordsOf(states, pendingDeployment.state);
  return (
    <Link {...deploymentLink(deployment, slug)} title={message} className="rounded-sm text-text hover:underline">
      <Status tone={tone}>
        Release {deployment.releaseNumber}: {word.toLowerCase()}
      </Status>
    </Link>
  );
}

/** An environment as a column: its services by id, once they are loaded. */
export interface PlacedColumn {
  environment: EnvironmentAnswer;
  services: ReadonlyMap<string, ServiceOverview> | undefined;
}

/** The next column that has the service: there its image is promoted to. */
export function nextWith(serviceId: string, behind: readonly PlacedColumn[]): PlacedColumn | undefined {
  return behind.find(({ services }) => {
    const there = services?.get(serviceId);
    // With what is only staged there, no image can run.
    return there !== undefined && there.stagedIn === undefined && isAdded(there);
  });
}

/** The beginning of a commit, or of a digest, by which people tell them apart. */
function shortVersion({ activeReleaseCommit, activeReleaseDigest }: Version): string {
  if (activeReleaseCommit !== '') return activeReleaseCommit.slice(0, 7);
  return activeReleaseDigest.replace(/^sha256:/, '').slice(0, 12);
}

type Version = Pick<ServiceOverview, 'activeReleaseCommit' | 'activeReleaseDigest'>;
