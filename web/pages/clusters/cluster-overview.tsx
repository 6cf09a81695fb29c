import { Link } from '@tanstack/react-router';
import { Copyable } from '../../components/copyable.tsx';
import { Fact, Facts, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge, LastKnown, Told } from '../../components/status.tsx';
import { nameColumn } from '../../components/table/name-column.tsx';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { useMembership } from '../../control-plane/session.ts';
import { ClusterAbilities } from './cluster-abilities.tsx';
import { driverWord, LastHeard } from './cluster-columns.tsx';
import type { ClusterAnswer } from './cluster-status.tsx';
import { ClusterWorkloads } from './cluster-workloads.tsx';
import { useCluster } from './use-cluster.ts';

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

/** Overview of a cluster: workloads, nodes, facts and capabilities. */
export function ClusterOverview() {
  const query = useCluster();
  return (
    <Loaded query={query}>
      {(cluster) => (
        <>
          <ClusterWorkloads cluster={cluster} />
          {cluster.nodes.length > 0 && <ClusterNodes cluster={cluster} />}
          <Section title="Facts">
            <ClusterFacts cluster={cluster} />
          </Section>
          {cluster.driver !== '' && <ClusterAbilities cluster={cluster} />}
        </>
      )}
    </Loaded>
  );
}

function ClusterFacts({ cluster }: { cluster: ClusterAnswer }) {
  return (
    <Facts>
      <Fact label="Contact">
        <LastHeard cluster={cluster} />
      </Fact>
      {cluster.driver !== '' && <MachineFacts cluster={cluster} />}
      {cluster.region !== '' && <Fact label="Region">{cluster.region}</Fact>}
      <Fact label="New workloads">
        {cluster.schedulable ? 'Accepted' : 'Refused; existing workloads can still be changed'}
      </Fact>
      <Fact label="Short name">
        <Copyable text={cluster.slug} label="short name" />
      </Fact>
      <Fact label="Id">
        <Copyable text={cluster.id} label="id" />
      </Fact>
      <Fact label="Created">
        <Time at={cluster.createdAt} />
      </Fact>
    </Facts>
  );
}

/** Facts reported by the agent; empty until one has connected. */
function MachineFacts({ cluster }: { cluster: ClusterAnswer }) {
  const { slug } = useMembership();
  const { ingressIPs } = cluster.capabilities;
  return (
    <>
      <Fact label="Runs applications as">{driverWord(cluster.driver)}</Fact>
      <Fact label="Runtime">{cluster.runtimeVersion}</Fact>
      <Fact label="Addresses">
        {ingressIPs.length === 0 ? (
          <>
            None: no ingress runs on its machine <LastKnown of={cluster} />
          </>
        ) : (
          <span className="flex flex-wrap gap-x-4">
            {ingressIPs.map((address) => (
              <Copyable key={address} text={address} label="address" />
            ))}
            <LastKnown of={cluster} />
          </span>
        )}
      </Fact>
      <Fact label="Agent">
        <Link
          to="/$organization/clusters/$cluster/agent"
          params={{ organization: slug, cluster: cluster.id }}
          className="rounded-sm underline decoration-line underline-offset-3 hover:decoration-current"
        >
          Version {cluster.agentVersion}
        </Link>
      </Fact>
    </>
  );
}
