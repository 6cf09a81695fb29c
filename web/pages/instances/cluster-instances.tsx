import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Card } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { lifeColumns, nameColumn } from './instance-columns.tsx';
import { type InstanceAnswer, releaseOf } from './instance-state.tsx';

const route = getRouteApi('/$organization/clusters/$cluster');

/** Instances reported by the agent. */
export function ClusterInstances() {
  const { trpc } = usePlane();
  const { cluster: id } = route.useParams();
  const instances = usePages(trpc.workloads.instances, { path: { id }, query: { limit: 200 } });
  const params = route.useParams();
  return (
    <Card>
      <Table
        label="Instances"
        pages={instances}
        columns={columns}
        name={({ id }) => id}
        link={({ id }) => ({
          to: '/$organization/clusters/$cluster/instances/$instance',
          params: { ...params, instance: id },
        })}
        empty={
          <EmptyState icon={<ContainerIcon />} title="No instances">
            Instances that the agent reports are listed here, each with its log.
          </EmptyState>
        }
      />
    </Card>
  );
}

const columns: Column<InstanceAnswer>[] = [
  nameColumn,
  {
    label: 'Workload',
    cell: ({ workload, process }) => `${workload} · ${process}`,
    sort: ({ workload, process }) => `${workload} ${process}`,
    width: 'minmax(9rem, 1fr)',
  },
  ...lifeColumns,
  {
    label: 'Release',
    cell: (instance) => (
      <span className="block truncate" title={instance.release}>
        {releaseOf(instance)}
      </span>
    ),
    sort: releaseOf,
    width: '6rem',
    phone: 'hidden',
  },
  {
    label: 'Memory',
    cell: ({ memoryBytes, node }) => (
      <span title={node}>{memoryBytes === undefined ? '' : bytesText(memoryBytes)}</span>
    ),
    sort: ({ memoryBytes }) => memoryBytes,
    width: '5rem',
    phone: 'labelled',
  },
];

/** "1.7 MB", "512 kB". */
function bytesText(bytes: number): string {
  for (const [unit, size] of units) {
    if (bytes >= size) return `${(bytes / size).toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
  }
  return `${bytes} B`;
}
const units = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;
