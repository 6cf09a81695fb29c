import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { LogView } from '../../components/log/log-view.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { counted } from './counted.ts';
import { mostInstances, workloadSource } from './log/log-sources.ts';
import { useChannels, useLogChoice } from './log/use-log.ts';
import { useInstances } from './use-instances.ts';

const route = getRouteApi('/$organization/clusters/$cluster/workloads/$workload/log');

/** The logs of all instances of a workload, by time. */
export function WorkloadLog() {
  const { workload } = route.useParams();
  return <LogOfWorkload key={workload} />;
}

function LogOfWorkload() {
  const organization = useMembership();
  const { cluster, workload } = route.useParams();
  const params = route.useParams();
  const search = route.useSearch();
  const router = useRouter();
  const navigate = useNavigate({ from: '/$organization/clusters/$cluster/workloads/$workload/log' });
  const query = useInstances(cluster);
  const channels = useChannels(query.data?.filter((one) => one.workload === workload));
  const [source] = useState(() => workloadSource({ organizationId: organization.id, clusterId: cluster }, workload));
  const { choice, onChoice } = useLogChoice(
    search,
    (next) => void navigate({ search: next, replace: true, resetScroll: false }),
  );
  return (
    <Page
      title={`Log of ${workload}`}
      width="wide"
      about={channels.length > 0 && `${counted(channels.length, 'instance')}, by time.`}
    >
      {channels.length > mostInstances && (
        <p className="text-soft text-sm">
          Only the first {mostInstances} instances are read; open another one by itself.
        </p>
      )}
      {channels.length > 0 && (
        <LogView
          label={`Log of ${workload}`}
          source={source}
          channels={channels.slice(0, mostInstances)}
          choice={choice}
          onChoice={onChoice}
          hrefOf={(next) =>
            router.buildLocation({
              to: '/$organization/clusters/$cluster/workloads/$workload/log',
              params,
              search: next,
            }).href
          }
          ended="All instances have ended; no more lines will come."
        />
      )}
      {channels.length === 0 && query.isError && (
        <Card>
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        </Card>
      )}
      {channels.length === 0 && query.isSuccess && (
        <Card>
          <EmptyState icon={<ContainerIcon />} title="No instances">
            The agent reports no instance of {workload}, so there is no log to read.
          </EmptyState>
        </Card>
      )}
    </Page>
  );
}
