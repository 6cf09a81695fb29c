import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { LogChoice } from '../../components/log/choice.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { Card } from '../../components/page.tsx';
import { EmptyState, ErrorState, Loaded } from '../../components/states.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { mostInstances, workloadSource } from '../instances/log/log-sources.ts';
import { useChannels, useLogChoice } from '../instances/log/use-log.ts';
import { useInstances } from '../instances/use-instances.ts';
import { useService } from '../services/use-service.ts';
import { useEnvironment } from './use-environment.ts';

interface LogOf {
  /** Where it runs; empty: nowhere yet. */
  clusterId: string;
  /** Slugs of project, environment and service, as the workloads are called: `shop/staging/web`; the service's may be left out. */
  place: string;
  name: string;
}

/** The logs of an environment's instances, or of one of its services, by time. */
export function EnvironmentLog(of: LogOf) {
  if (of.clusterId === '') return <None>The environment has no cluster yet.</None>;
  return <Log key={of.place} {...of} />;
}

function Log({ clusterId, place, name }: LogOf) {
  const organization = useMembership();
  const router = useRouter();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as LogChoice & Record<string, unknown>;
  const query = useInstances(clusterId);
  const own = query.data
    ?.filter(({ workload }) => workload === place || workload.startsWith(`${place}/`))
    // Of an environment the lines are told apart by service.
    .map(({ id, process, workload }) => ({
      id,
      process: workload === place ? process : (workload.split('/')[2] ?? process),
    }));
  const channels = useChannels(own?.slice(0, mostInstances));
  const [source] = useState(() => workloadSource({ organizationId: organization.id, clusterId }, name));
  const others = othersOf(search);
  const { choice, onChoice } = useLogChoice(
    search,
    (next) => void navigate({ to: '.', search: { ...others, ...next }, replace: true, resetScroll: false } as never),
  );
  if (channels.length === 0 && query.isError) {
    return (
      <Card>
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      </Card>
    );
  }
  if (channels.length === 0) return query.isSuccess && <None>Nothing of {name} runs, so there is no log to read.</None>;
  return (
    <LogView
      label={`Log of ${name}`}
      source={source}
      channels={channels}
      choice={choice}
      onChoice={onChoice}
      hrefOf={(next) => router.buildLocation({ to: '.', search: { ...others, ...next } } as never).href}
      ended="All instances have ended; no more lines will come."
    />
  );
}

/** The part of the address that is not the log's. */
function othersOf({ find, line, of, stream, failing, ...others }: LogChoice & Record<string, unknown>) {
  return others;
}

function None({ children }: { children: React.ReactNode }) {
  return (
    <Card>
      <EmptyState icon={<ContainerIcon />} title="No instances">
        {children}
      </EmptyState>
    </Card>
  );
}

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

const routeOfService = getRouteApi('/$organization/p/$project/e/$environment/s/$service');

/** The logs of a service's instances in an environment. */
export function ServiceLogs() {
  const { project } = routeOfService.useParams();
  return (
    <Loaded query={useService()}>
      {({ service, environment: { slug, clusterId = '' } }) => (
        <EnvironmentLog clusterId={clusterId} place={`${project}/${slug}/${service.slug}`} name={service.name} />
      )}
    </Loaded>
  );
}
