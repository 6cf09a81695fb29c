import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { DeploymentAnswer } from '../deployments/deployment-words.ts';
import { DeploymentRow } from './deployment-row.tsx';

const most = 20;

/** Deployments that roll or wait: for what, and since when. Nothing is said where there are none. */
export function InFlight() {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.deployments.list.queryOptions({ query: { open: true, limit: most } }));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="In flight" about={data.nextCursor === undefined ? undefined : `The last ${most}; there are more.`}>
      <Rows label="In flight">
        {data.items.map((deployment) => (
          <DeploymentRow key={deployment.id} deployment={deployment} about={deployment.message}>
            since <BriefTime at={sinceOf(deployment)} />
          </DeploymentRow>
        ))}
      </Rows>
    </Section>
  );
}

/** The begin of its present stage. */
function sinceOf({ stages, createdAt }: DeploymentAnswer): string {
  return stages.findLast(({ endedAt }) => endedAt === undefined)?.startedAt ?? createdAt;
}
