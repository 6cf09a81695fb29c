import { useQuery } from '@tanstack/react-query';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { LastKnown } from '../../components/status.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useOverview } from '../environments/use-overview.ts';
import { ServiceHealth } from '../services/service-health.tsx';
import { servedText } from '../services/words/service-words.ts';
import { deploymentActions, rollBackAction, useDeploymentTools } from './deployment-actions.tsx';
import { type DeploymentAnswer, deploymentLink } from './deployment-words.ts';

interface ServiceInEnvironment {
  serviceId: string;
  environmentId: string;
}

/** The release that serves a service in an environment now, whatever became of a deployment, and the way back from it. */
export function Serving({ of }: { of: ServiceInEnvironment }) {
  const { slug } = useMembership();
  const overview = useOverview(of.environmentId).data?.find(({ serviceId }) => serviceId === of.serviceId);
  const { serving, before } = useLived(of);
  if (overview === undefined) return null;
  const { activeReleaseNumber, activeDeployedAt, replicasReady, replicasDesired } = overview;
  if (activeReleaseNumber === undefined) {
    return (
      <Section title="Serves now">
        <p className="px-4 py-3 text-soft text-sm">Nothing: no release has gone live here yet.</p>
      </Section>
    );
  }
  return (
    <Section title="Serves now">
      <Rows label="Serves now">
        <Row
          title={servedText(overview)}
          link={serving && deploymentLink(serving, slug)}
          detail={
            activeDeployedAt !== undefined &&
            !overview.suspended && (
              <>
                Live since <BriefTime at={activeDeployedAt} />
              </>
            )
          }
          facts={
            <>
              <span>
                {replicasReady} of {replicasDesired} ready <LastKnown of={overview} />
              </span>
              <span className="text-text">
                <ServiceHealth of={overview} />
              </span>
            </>
          }
          actions={before !== undefined && <RollBack to={before} />}
        />
      </Rows>
    </Section>
  );
}

/** The same release once more, and the way back to the one that served before, as buttons; nothing where there is none. */
export function ServingActions({ of }: { of: ServiceInEnvironment }) {
  const { serving, before } = useLived(of);
  const tools = useDeploymentTools();
  return (
    <>
      {serving !== undefined &&
        deploymentActions(serving, tools).map((action) => <OneAction key={action.label} action={action} small />)}
      {before !== undefined && <RollBack to={before} />}
    </>
  );
}

function RollBack({ to }: { to: DeploymentAnswer }) {
  return <OneAction action={rollBackAction(to, useDeploymentTools())} small />;
}

/** Of those that went live: the one that serves, and the last one before it that had another release. */
function useLived({ serviceId, environmentId }: ServiceInEnvironment): {
  serving?: DeploymentAnswer;
  before?: DeploymentAnswer | undefined;
} {
  const { trpc } = usePlane();
  const { data } = useQuery(
    trpc.deployments.list.queryOptions({ query: { serviceId, environmentId, state: 'live', limit: 20 } }),
  );
  const at = data?.items.findIndex(({ serving }) => serving) ?? -1;
  const serving = data?.items[at];
  if (data === undefined || serving === undefined) return {};
  const before = data.items.slice(at + 1).find(({ releaseId }) => releaseId !== serving.releaseId);
  return { serving, before };
}
