import { getRouteApi, Link } from '@tanstack/react-router';
import { Badge, Status, wordsOf } from '../../../components/status.tsx';
import { Time } from '../../../components/times/time.tsx';
import { useMembership } from '../../../control-plane/session.ts';
import { deploymentLink } from '../../deployments/deployment-link.ts';
import { blockers, isHalted, states } from '../../deployments/deployment-words.ts';
import { isAdded, type ServiceOverview } from '../../environments/use-overview.ts';
import { ServiceHealth } from '../../services/service-health.tsx';
import type { ServiceAnswer } from '../../services/use-service.ts';
import { type PlacedColumn, shortVersion } from './placed.ts';

const route = getRouteApi('/$organization/p/$project');

interface ReleaseCellProps {
  service: ServiceAnswer;
  column: PlacedColumn;
}

/** A service in one environment: its release, how that is, and the deployment that waits, rolls or failed. */
export function ReleaseCell({ service, column: { environment, services } }: ReleaseCellProps) {
  const here = services?.get(service.id);
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
    </span>
  );
}

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
