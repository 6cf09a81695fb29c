import { Badge, Status, wordsOf } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Time } from '../../components/times/time.tsx';
import { Building } from '../builds/open-builds.tsx';
import { states } from '../deployments/deployment-words.ts';
import type { ServiceOverview } from '../environments/use-overview.ts';
import { ServiceAddresses } from './service-addresses.tsx';
import { ServiceHealth, urgencyOf } from './service-health.tsx';

/** The services of an environment at a glance. */
export const serviceColumns: Column<ServiceOverview>[] = [
  {
    label: 'Name',
    cell: ({ serviceName, stagedIn, suspended, drift, driftCount }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{serviceName}</span>
        {stagedIn !== undefined && <Badge tone="live">staged</Badge>}
        {drift && <Badge tone="attention">{driftWords(driftCount)}</Badge>}
        {suspended && <Badge>suspended</Badge>}
      </span>
    ),
    sort: ({ serviceName }) => serviceName,
  },
  {
    label: 'Health',
    cell: (service) => (
      <span className="text-text">
        <ServiceHealth of={service} />
      </span>
    ),
    sort: urgencyOf,
    width: '11rem',
  },
  {
    label: 'Release',
    cell: ({ activeReleaseNumber, activeDeployedAt }) =>
      activeReleaseNumber === undefined ? (
        'None yet'
      ) : (
        <>
          {activeReleaseNumber}
          {activeDeployedAt !== undefined && (
            <>
              , <Time at={activeDeployedAt} />
            </>
          )}
        </>
      ),
    sort: ({ activeReleaseNumber }) => activeReleaseNumber,
    width: '7.5rem',
    phone: 'labelled',
  },
  {
    label: 'Instances',
    cell: ({ replicasReady, replicasDesired }) => `${replicasReady} of ${replicasDesired} ready`,
    sort: ({ replicasReady }) => replicasReady,
    width: '7rem',
  },
  { label: 'Address', cell: (service) => <ServiceAddresses of={service} />, width: 'minmax(0, 2fr)' },
  {
    label: 'Last deployment',
    cell: (service) => (
      <>
        <LastDeployment of={service} />
        <Building serviceId={service.serviceId} />
      </>
    ),
    width: '11rem',
  },
];

/** "3 changes not deployed". */
export function driftWords(count: number): string {
  if (count === 0) return 'not live';
  return count === 1 ? '1 change not deployed' : `${count} changes not deployed`;
}

/** What is under way, or how the last one failed. */
export function LastDeployment({ of }: { of: ServiceOverview }) {
  const { pendingDeployment, failedDeployment, activeReleaseNumber } = of;
  if (pendingDeployment !== undefined) {
    const { word, tone } = wordsOf(states, pendingDeployment.state);
    return (
      <Status tone={tone}>
        Release {pendingDeployment.releaseNumber}: {word.toLowerCase()}
      </Status>
    );
  }
  if (failedDeployment !== undefined)
    return <Status tone="fault">Release {failedDeployment.releaseNumber} failed</Status>;
  return activeReleaseNumber === undefined ? 'None yet' : <Status tone="good">Live</Status>;
}
