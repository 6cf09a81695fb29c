import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { DayBars } from '../../components/times/day-bars.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { DeploymentTable } from '../deployments/deployment-table.tsx';
import { type Placed, useService } from './use-service.ts';

/** Thirteen weeks. */
const days = 91;

/** The deployments of a service in an environment: how many a day, and each of them, the newest first. */
export function ServiceDeployments() {
  return <Loaded query={useService()}>{(placed) => <Deployments {...placed} />}</Loaded>;
}

function Deployments(placed: Placed) {
  const { trpc } = usePlane();
  const of = { environmentId: placed.environment.id, serviceId: placed.service.id };
  const pages = usePages(trpc.deployments.list, { query: { ...of, limit: 50 } });
  return (
    <>
      <PerDay of={of} />
      <DeploymentTable pages={pages} />
    </>
  );
}

function PerDay({ of }: { of: { environmentId: string; serviceId: string } }) {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.deployments.perDay.queryOptions({ query: { days, ...of } }));
  if (data === undefined) return null;
  return (
    <Section title="Deployments per day">
      <DayBars
        days={data.days.map(({ date, deployments: count }) => ({ date, count }))}
        noun={{ one: 'deployment', other: 'deployments' }}
      />
    </Section>
  );
}
