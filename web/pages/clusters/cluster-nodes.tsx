import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Badge, Status } from '../../components/status.tsx';
import { type ClusterAnswer, isInContact } from './cluster-status.tsx';

const gibibyte = 2 ** 30;

/** Machines of a cluster. Without contact, their last known state is not shown as current. */
export function ClusterNodes({ cluster }: { cluster: ClusterAnswer }) {
  const inContact = isInContact(cluster);
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
                <Status tone={!inContact ? 'neutral' : ready ? 'good' : 'fault'}>
                  {!inContact ? 'No contact' : ready ? 'Ready' : 'Not ready'}
                </Status>
              </>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}
