import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Badge, Told } from '../../components/status.tsx';
import type { ClusterAnswer } from './cluster-status.tsx';

const gibibyte = 2 ** 30;

/** Machines of a cluster. */
export function ClusterNodes({ cluster }: { cluster: ClusterAnswer }) {
  return (
    <Section title="Nodes">
      <Rows label="Nodes">
        {cluster.nodes.map(({ name, ready, server, cpuMilli, memoryBytes }) => (
          <Row
            key={name}
            title={name}
            badges={server && cluster.nodes.length > 1 && <Badge>server</Badge>}
            facts={
              <>
                <span>{Number((cpuMilli / 1_000).toFixed(1))} CPU</span>
                <span>{Number((memoryBytes / gibibyte).toFixed(1))} GiB</span>
                <Told of={cluster} tone={ready ? 'good' : 'fault'}>
                  {ready ? 'Ready' : 'Not ready'}
                </Told>
              </>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}
