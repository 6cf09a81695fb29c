import { ContainerIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { NoHeartbeat } from '../agents/no-heartbeat.tsx';
import { isLost } from '../clusters/cluster-status.tsx';
import { counted } from './counted.ts';
import { type InstanceAnswer, InstanceStatus, restartsOf } from './instance-state.tsx';
import { InstanceLog } from './log/instance-log.tsx';
import { useInstance } from './use-instance.ts';

const route = getRouteApi('/$organization/clusters/$cluster/instances/$instance');

/** One instance: its state and its log. */
export function Instance() {
  const { trpc } = usePlane();
  const organization = useMembership();
  const params = route.useParams();
  const search = route.useSearch();
  const [find, setFind] = useState(search.find ?? '');
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const navigate = useNavigate({ from: '/$organization/clusters/$cluster/instances/$instance' });
  const cluster = useQuery(trpc.clusters.get.queryOptions({ path: { id: params.cluster } }));
  const query = useInstance(params.cluster, params.instance);
  const [seen, setSeen] = useState<InstanceAnswer>();
  const now = query.data ?? undefined;
  if (now !== undefined && now !== seen) setSeen(now);
  // An instance that was displayed keeps its log on screen after it has ended.
  const instance = now ?? (seen?.id === params.instance ? seen : undefined);
  const gone = query.data === null;
  /** The search text is kept in the address, debounced. */
  const keepFind = (text: string) => {
    setFind(text);
    clearTimeout(later.current);
    later.current = setTimeout(() => {
      if (location.pathname.endsWith(params.instance)) {
        void navigate({ search: text === '' ? {} : { find: text }, replace: true, resetScroll: false });
      }
    }, 400);
  };
  const link = { to: '/$organization/clusters/$cluster/instances', params } as const;
  const lost = cluster.data !== undefined && isLost(cluster.data);
  const status = gone ? <Status tone="neutral">Ended</Status> : instance && <InstanceStatus instance={instance} />;
  return (
    <Page
      title={params.instance}
      above={{ label: cluster.data === undefined ? 'Instances' : `Instances of ${cluster.data.name}`, link }}
      status={status}
      about={instance && <About instance={instance} />}
    >
      {lost && <NoHeartbeat cluster={cluster.data} />}
      {instance !== undefined && (
        <InstanceLog
          key={instance.id}
          which={{ organizationId: organization.id, clusterId: params.cluster, instanceId: instance.id }}
          find={find}
          onFind={keepFind}
          gone={gone}
        />
      )}
      {instance === undefined && query.isError && (
        <Card>
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        </Card>
      )}
      {instance === undefined && gone && (
        <Card>
          <EmptyState
            icon={<ContainerIcon />}
            title="This instance has ended"
            action={<ButtonLink {...link}>Show instances</ButtonLink>}
          >
            The agent no longer reports it, so its log cannot be read. Another instance may have replaced it.
          </EmptyState>
        </Card>
      )}
    </Page>
  );
}

function About({ instance }: { instance: InstanceAnswer }) {
  const restarts = restartsOf(instance);
  return (
    <>
      Process {instance.process} of {instance.workload}, release {instance.release}, on {instance.node}
      {instance.startedAt !== undefined && (
        <>
          ; started <Time at={instance.startedAt} />
        </>
      )}
      {restarts > 0 && <>, {counted(restarts, 'restart')} so far</>}.
      {instance.message !== undefined && (
        <>
          {' '}
          <WithTimes text={instance.message} />
        </>
      )}
    </>
  );
}
