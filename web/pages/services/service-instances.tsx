import { getRouteApi } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { lifeColumns, nameColumn } from '../instances/instance-columns.tsx';
import { type InstanceAnswer, releaseOf } from '../instances/instance-state.tsx';
import { useInstances } from '../instances/use-instances.ts';
import type { Placed } from './use-service.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service');

/** The instances of a service in an environment, as its cluster's agent tells them. */
export function ServiceInstances({ service, environment }: Placed) {
  const { project } = route.useParams();
  const { clusterId } = environment;
  if (clusterId === undefined) return null;
  return <On clusterId={clusterId} of={`${project}/${environment.slug}/${service.slug}`} />;
}

function On({ clusterId, of }: { clusterId: string; of: string }) {
  const { organization } = route.useParams();
  const { data } = useInstances(clusterId);
  if (data === undefined) return null;
  const own = data.filter(({ workload }) => workload === of);
  return (
    <Section title="Instances">
      <Table
        label="Instances"
        pages={wholeList(own, ({ id }) => id)}
        columns={columns}
        name={({ id }) => id}
        link={({ id: instance }) => ({
          to: '/$organization/clusters/$cluster/instances/$instance',
          params: { organization, cluster: clusterId, instance },
        })}
        empty={<EmptyState title="No instances">Nothing of it runs here now.</EmptyState>}
      />
    </Section>
  );
}

const columns: Column<InstanceAnswer>[] = [
  nameColumn,
  { label: 'Process', cell: ({ process }) => process, sort: ({ process }) => process, width: '8rem' },
  ...lifeColumns,
  {
    label: 'Release',
    cell: releaseOf,
    sort: ({ releaseNumber }) => releaseNumber,
    width: '6rem',
    phone: 'labelled',
  },
];
