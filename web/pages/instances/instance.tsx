import { ContainerIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { ButtonLink } from '../../components/forms/button.tsx';
import { LogView } from '../../components/log/log-view.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { isMissing } from '../../control-plane/problem.ts';
import { useMembership } from '../../control-plane/session.ts';
import { NotThere } from '../../frame/fallbacks/not-there.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { isLost, NoHeartbeat } from '../clusters/cluster-status.tsx';
import { counted } from './counted.ts';
import { type InstanceAnswer, InstanceStatus, releaseOf, restartsOf } from './instance-state.tsx';
import { logLink } from './log/log-link.ts';
import { instanceSource } from './log/log-sources.ts';
import { useLogChoice } from './log/use-log.ts';
import { useInstance } from './use-instances.ts';

const route = getRouteApi('/$organization/clusters/$cluster/instances/$instance');

/** One instance: its state and its log. */
export function Instance() {
  const { instance } = route.useParams();
  return <OneInstance key={instance} />;
}

function OneInstance() {
  const { trpc } = usePlane();
  const organization = useMembership();
  const params = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/clusters/$cluster/instances/$instance' });
  const cluster = useQuery(trpc.clusters.get.queryOptions({ path: { id: params.cluster } }));
  const query = useInstance(params.cluster, params.instance);
  const [seen, setSeen] = useState<InstanceAnswer>();
  const missing = isMissing(query.error);
  const now = query.data ?? undefined;
  useVisited('instance', params.instance, now?.id, params.cluster);
  if (now !== undefined && now !== seen) setSeen(now);
  // An instance that was displayed keeps its log on screen after it has ended.
  const instance = now ?? (seen?.id === params.instance ? seen : undefined);
  const gone = query.data === null;
  const router = useRouter();
  const at = { to: '/$organization/clusters/$cluster/instances/$instance', params } as const;
  const { choice, onChoice } = useLogChoice(
    search,
    (next) => void navigate({ search: next, replace: true, resetScroll: false }),
  );
  const [source] = useState(() =>
    instanceSource({ organizationId: organization.id, clusterId: params.cluster }, params.instance),
  );
  const link = { to: '/$organization/clusters/$cluster/instances', params } as const;
  const lost = cluster.data !== undefined && isLost(cluster.data);
  if (missing) return <NotThere />;
  const status = gone ? <Status tone="neutral">Ended</Status> : instance && <InstanceStatus instance={instance} />;
  return (
    <Page
      title={params.instance}
      width="wide"
      status={status}
      about={instance && <About instance={instance} />}
      actions={
        instance && (
          <ButtonLink small {...logLink(params, { workload: instance.workload })}>
            Log of {instance.workload}
          </ButtonLink>
        )
      }
    >
      {lost && <NoHeartbeat cluster={cluster.data} />}
      {instance !== undefined && (
        <LogView
          label={`Log of ${instance.id}`}
          source={source}
          channels={[{ id: instance.id, group: instance.process, ended: gone }]}
          choice={choice}
          onChoice={onChoice}
          hrefOf={(search) => router.buildLocation({ ...at, search }).href}
          ended="The instance has ended; no more lines will come."
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
      Process {instance.process} of {instance.workload}, release {releaseOf(instance)}, on {instance.node}
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
