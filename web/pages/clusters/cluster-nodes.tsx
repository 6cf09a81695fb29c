import { Section } from '../../components/page.tsx';
import { Badge, Told } from '../../components/status.tsx';
import { nameColumn } from '../../components/table/name-column.tsx';
import { Table } from '../../components/table/table.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import type { ClusterAnswer } from './cluster-status.tsx';

const gibibyte = 2 ** 30;
const rounded = (amount: number) => Number(amount.toFixed(1));

/** Machines of a cluster. */
export function ClusterNodes({ cluster }: { cluster: ClusterAnswer }) {
  const { nodes } = cluster;
  return (
    <Section title="Nodes">
      <Table
        label="Nodes"
        pages={wholeList(nodes, ({ name }) => name)}
        columns={[
          nameColumn<(typeof nodes)[number]>(({ server }) => server && nodes.length > 1 && <Badge>server</Badge>),
          { label: 'CPU', cell: ({ cpuMilli }) => `${rounded(cpuMilli / 1_000)} CPU`, width: '6rem' },
          { label: 'Memory', cell: ({ memoryBytes }) => `${rounded(memoryBytes / gibibyte)} GiB`, width: '6rem' },
          {
            label: 'State',
            cell: ({ ready }) => (
              <Told of={cluster} tone={ready ? 'good' : 'fault'}>
                {ready ? 'Ready' : 'Not ready'}
              </Told>
            ),
            width: '12rem',
          },
        ]}
        empty={null}
      />
    </Section>
  );
}
