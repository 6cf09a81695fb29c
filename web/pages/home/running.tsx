import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { byUrgency, ClusterStatus, isInContact, type ListedCluster } from '../clusters/cluster-status.tsx';
import { runningText } from '../instances/instance-state.tsx';

const mostClusters = 8;
const mostWorkloads = 6;

/** Clusters and their workloads. */
export function Running({ clusters }: { clusters: UseQueryResult<Answers['clusters']['list'], unknown> }) {
  const { slug: organization } = useMembership();
  const mayAdd = useMay('admin');
  return (
    <Section
      title="Running"
      actions={
        <Link
          to="/$organization/clusters"
          params={{ organization }}
          className="rounded-sm text-soft text-sm hover:text-text"
        >
          All clusters
        </Link>
      }
    >
      <Loaded query={clusters}>
        {({ items }) =>
          items.length === 0 ? (
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
              <p className="text-pretty text-soft text-sm">
                No clusters yet. A cluster is a machine with an agent; its workloads are shown here.
              </p>
              {mayAdd && (
                <ButtonLink small to="/$organization/clusters" params={{ organization }} search={{ add: true }}>
                  Add a cluster
                </ButtonLink>
              )}
            </div>
          ) : (
            <Rows label="Running">
              {byUrgency(items)
                .slice(0, mostClusters)
                .map((cluster) => (
                  <RunningOn key={cluster.id} cluster={cluster} />
                ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  );
}

function RunningOn({ cluster }: { cluster: ListedCluster }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const count = cluster.summary?.workloads ?? 0;
  const workloads = useQuery(
    trpc.workloads.list.queryOptions(
      { path: { id: cluster.id }, query: { limit: mostWorkloads } },
      { enabled: count > 0 },
    ),
  ).data?.items;
  const { nodesReady = 0, nodesTotal = 0 } = cluster.summary ?? {};
  return (
    <Row
      title={cluster.name}
      link={{ to: '/$organization/clusters/$cluster', params: { organization, cluster: cluster.id } }}
      detail={
        count === 0 ? (
          'No workloads yet'
        ) : (
          <ul aria-label={`Workloads on ${cluster.name}`} className="flex flex-wrap gap-x-4">
            {workloads?.map((workload) => (
              <li key={workload.key}>
                <span className="text-text">{workload.name}</span> {runningText(workload)}
              </li>
            ))}
            {workloads !== undefined && count > workloads.length && <li>and {count - workloads.length} more</li>}
          </ul>
        )
      }
      facts={
        <>
          {nodesTotal > 0 && isInContact(cluster) && (
            <span className="tabular-nums">
              {nodesReady} of {nodesTotal} {nodesTotal === 1 ? 'node' : 'nodes'} ready
            </span>
          )}
          <span className="text-text sm:w-42">
            <ClusterStatus cluster={cluster} />
          </span>
        </>
      }
    />
  );
}
