import { Badge, Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Time } from '../../components/times/time.tsx';
import { Building } from '../builds/unfinished-builds.tsx';
import type { ServiceOverview } from '../environments/use-overview.ts';
import { ServiceAddresses } from './service-addresses.tsx';
import { ServiceHealth } from './service-health.tsx';
import { driftWords, lastDeploymentWords, urgencyOf } from './words/service-words.ts';

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

/** What is under way, or how the last one ended. */
function LastDeployment({ of }: { of: ServiceOverview }) {
  const words = lastDeploymentWords(of);
  return words === undefined ? 'None yet' : <Status tone={words.tone}>{words.word}</Status>;
}
