import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { isOutOfContact } from '../../components/status.tsx';
import { classes } from '../../components/style.ts';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { runningText, type WorkloadAnswer, WorkloadStatus } from '../instances/instance-state.tsx';
import { logLink } from '../instances/log/log-link.ts';
import type { ClusterAnswer } from './cluster-status.tsx';

const route = getRouteApi('/$organization/clusters/$cluster');

/** Workloads of a cluster, and whether each is running. */
export function ClusterWorkloads({ cluster }: { cluster: ClusterAnswer }) {
  const { trpc } = usePlane();
  const { id } = cluster;
  const { organization } = route.useParams();
  const mayAdd = useMay('admin');
  const workloads = usePages(trpc.workloads.list, { path: { id }, query: { limit: 100 }, id: ({ key }) => key });
  return (
    <Section title="Workloads">
      <Table
        label="Workloads"
        pages={workloads}
        columns={columns}
        name={({ name }) => name}
        empty={
          <EmptyState
            icon={<ContainerIcon />}
            title="No workloads yet"
            action={
              mayAdd && (
                <ButtonLink to="/$organization/new-project" params={{ organization }}>
                  New project
                </ButtonLink>
              )
            }
          >
            A workload is what runs of one service in one environment. An environment says in its settings on which
            cluster that is.
          </EmptyState>
        }
      />
    </Section>
  );
}

const columns: Column<WorkloadAnswer>[] = [
  {
    label: 'Name',
    cell: (workload) => (
      <>
        <span className="font-medium">{workload.name}</span>
        {workload.error !== '' && (
          <p className={classes('text-sm', isOutOfContact(workload) ? 'text-soft' : 'text-fault')}>{workload.error}</p>
        )}
        <Hosts workload={workload} />
      </>
    ),
    sort: ({ name }) => name,
  },
  {
    label: 'State',
    cell: (workload) => (
      <span className="text-text">
        <WorkloadStatus workload={workload} />
      </span>
    ),
    sort: ({ state }) => state,
    width: '10.5rem',
  },
  {
    label: 'Instances',
    cell: (workload) => <InstancesLink workload={workload} />,
    sort: ({ instances }) => instances.length,
    width: '8.5rem',
  },
  {
    label: 'Release',
    cell: ({ release, updatedAt }) => (
      <>
        <span className="block truncate stacked:inline" title={release}>
          {release}
        </span>{' '}
        <Time at={updatedAt} />
      </>
    ),
    sort: ({ updatedAt }) => updatedAt,
    width: '9rem',
    phone: 'labelled',
  },
  { label: 'Log', cell: (workload) => <LogLink workload={workload} />, width: '3.5rem' },
];

function Hosts({ workload: { name, hosts } }: { workload: WorkloadAnswer }) {
  if (hosts.length === 0) return <p className="text-soft text-sm">No host name</p>;
  return (
    <ul aria-label={`Host names of ${name}`} className="text-soft text-sm">
      {hosts.map(({ host, url }) => (
        <li key={host} className="truncate">
          {url === '' ? (
            host
          ) : (
            <a href={url} target="_blank" rel="noreferrer" className={link}>
              {host}
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

const link = 'rounded-sm underline decoration-line underline-offset-3 hover:text-text hover:decoration-current';

function InstancesLink({ workload }: { workload: WorkloadAnswer }) {
  const params = route.useParams();
  return (
    <Link to="/$organization/clusters/$cluster/instances" params={params} className={link}>
      {runningText(workload)}
    </Link>
  );
}

function LogLink({ workload: { name, error } }: { workload: WorkloadAnswer }) {
  const params = route.useParams();
  return (
    <ButtonLink small {...logLink(params, { workload: name }, error === '' ? {} : { failing: true })}>
      Log<span className="sr-only"> of {name}</span>
    </ButtonLink>
  );
}
