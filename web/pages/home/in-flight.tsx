import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { BuildRow } from '../builds/build-row.tsx';
import type { DeploymentAnswer } from '../deployments/deployment-words.ts';
import { DeploymentRow } from './deployment-row.tsx';

const most = 20;

/** Builds and deployments that run or wait: for what, and since when. Nothing is said where there are none. */
export function InFlight() {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.deployments.list.queryOptions({ query: { open: true, limit: most } }));
  const builds = useQuery(trpc.builds.list.queryOptions({ query: { open: true, limit: most } })).data;
  if (data === undefined || builds === undefined || data.items.length + builds.items.length === 0) return null;
  const more = data.nextCursor !== undefined || builds.nextCursor !== undefined;
  return (
    <Section title="In flight" about={more ? `The last ${most} of each; there are more.` : undefined}>
      <Rows label="In flight">
        {builds.items.map((build) => (
          <BuildRow key={build.id} build={build} />
        ))}
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
