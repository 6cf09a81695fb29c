import { useQuery } from '@tanstack/react-query';
import type { DialogAction } from '../../../components/actions/action.ts';
import { confirmAction } from '../../../components/actions/confirm-action.tsx';
import { Fact, Facts } from '../../../components/page.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { HeldFirst } from '../../approvals/held-first.tsx';
import { useOverview } from '../../environments/use-overview.ts';
import type { DeploymentTools } from '../again/deployment-tools.ts';
import { begun } from '../deployment-actions.tsx';

interface Promotion {
  serviceId: string;
  serviceName: string;
  releaseId: string;
  releaseNumber: number;
  environmentName: string;
}

/** Runs the image of a release in another environment of its project. */
export function promoteAction(
  promotion: Promotion,
  to: { id: string; name: string },
  tools: DeploymentTools,
): DialogAction {
  const { serviceId, serviceName, releaseId } = promotion;
  const { trpc, follow, touches } = tools;
  return confirmAction({
    role: 'deployer',
    label: `Promote to ${to.name}`,
    confirm: 'Promote',
    operation: trpc.deployments.promote,
    path: { id: serviceId },
    body: { releaseId, toEnvironmentId: to.id, queue: true },
    text: (
      <>
        <Travels promotion={promotion} to={to} />
        <HeldFirst of={{ serviceId, environmentId: to.id }} />
      </>
    ),
    succeeded: begun(`Promoting ${serviceName} to ${to.name}`),
    done: follow,
    touches,
  });
}

/** What goes along, and what stays as the target has it. */
function Travels({ promotion, to }: { promotion: Promotion; to: { id: string; name: string } }) {
  const { serviceId, serviceName, releaseId, releaseNumber, environmentName } = promotion;
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.releases.get.queryOptions({ path: { id: releaseId } }));
  const there = useOverview(to.id).data?.find((one) => one.serviceId === serviceId);
  return (
    <>
      <p>
        {serviceName} in {to.name} runs the image of release {releaseNumber} of {environmentName}. Nothing is built.
      </p>
      <Facts>
        <Fact label="Image">
          <span className="break-all">{data?.release.imageRef ?? `of release ${releaseNumber}`}</span>
        </Fact>
        {there?.activeReleaseNumber !== undefined && (
          <Fact label={`In ${to.name} now`}>
            Release {there.activeReleaseNumber}, <span className="break-all">{there.activeReleaseDigest}</span>
          </Fact>
        )}
        <Fact label={`Stay as ${to.name} has them`}>Settings, replicas, variables and staged changes</Fact>
      </Facts>
    </>
  );
}
