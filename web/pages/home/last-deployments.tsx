import { useQuery } from '@tanstack/react-query';
import { Section } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { DeploymentRow } from './deployment-row.tsx';

/** The last deployments that ended, of all projects. Nothing is said before the first one. */
export function LastDeployments() {
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.deployments.list.queryOptions({ query: { open: false, limit: 10 } }));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="Last deployments">
      <Rows label="Last deployments">
        {data.items.map((deployment) => (
          <DeploymentRow key={deployment.id} deployment={deployment} about={deployment.changeSetMessage}>
            {deployment.requestedBy}, <Time at={deployment.finishedAt ?? deployment.createdAt} />
          </DeploymentRow>
        ))}
      </Rows>
    </Section>
  );
}
