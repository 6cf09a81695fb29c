import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { type ServiceOverview, useOverview } from '../environments/use-overview.ts';
import { counted } from '../instances/counted.ts';
import { ServiceAddresses } from '../services/service-addresses.tsx';
import type { ApprovalAnswer } from './approval-words.tsx';

interface Target {
  releases?: { serviceId: string; number: number }[];
}

/** The blast radius: services that change and those that depend on them, with what they serve there today. */
export function Reach({ approval }: { approval: ApprovalAnswer }) {
  const { environmentId, environmentName, blastRadius, target } = approval;
  const services = useOverview(environmentId).data ?? [];
  const changed = new Map(((target ?? {}) as Target).releases?.map(({ serviceId, number }) => [serviceId, number]));
  const depends = new Set(blastRadius.map(({ id }) => id));
  const reached = services.filter(({ serviceId }) => changed.has(serviceId) || depends.has(serviceId));
  if (reached.length === 0) return null;
  const replicas = reached.reduce((sum, { replicasDesired }) => sum + replicasDesired, 0);
  const order = reached.toSorted(
    (one, other) => Number(depends.has(one.serviceId)) - Number(depends.has(other.serviceId)),
  );
  return (
    <Section
      title="Blast radius"
      about={`${counted(reached.length, 'service')} of ${environmentName}, ${counted(replicas, 'instance')} there today.`}
    >
      <Rows label="Blast radius">
        {order.map((service) => (
          <Row
            key={service.serviceId}
            title={service.serviceName}
            badges={
              <Badge tone={changed.has(service.serviceId) ? 'attention' : 'neutral'}>
                {changed.has(service.serviceId) ? 'changes' : 'depends on it'}
              </Badge>
            }
            detail={<Served of={service} becomes={changed.get(service.serviceId)} />}
            {...(service.addresses.some(({ url }) => url !== '') ? { facts: <ServiceAddresses of={service} /> } : {})}
          />
        ))}
      </Rows>
    </Section>
  );
}

function Served({ of, becomes }: { of: ServiceOverview; becomes: number | undefined }) {
  const { activeReleaseNumber: serves, replicasDesired } = of;
  const now =
    serves === undefined ? 'Nothing serves yet' : `Release ${serves} serves, ${counted(replicasDesired, 'instance')}`;
  return becomes === undefined || becomes === serves ? now : `${now}; release ${becomes} after this`;
}
