import { useQuery } from '@tanstack/react-query';
import type { DialogAction } from '../../../components/actions/action.ts';
import { confirmAction } from '../../../components/actions/confirm-action.tsx';
import { Fact, Facts } from '../../../components/page.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { HeldFirst } from '../../approvals/held-first.tsx';
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
        <Travels promotion={promotion} to={to.name} />
        <HeldFirst of={{ serviceId, environmentId: to.id }} />
      </>
    ),
    succeeded: begun(`Promoting ${serviceName} to ${to.name}`),
    done: follow,
    touches,
  });
}

/** What goes along, and what stays as the target has it. */
function Travels({ promotion, to }: { promotion: Promotion; to: string }) {
  const { serviceName, releaseId, releaseNumber, environmentName } = promotion;
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.releases.get.queryOptions({ path: { id: releaseId } }));
  return (
    <>
      <p>
        {serviceName} in {to} runs the image of release {releaseNumber} of {environmentName}. Nothing is built.
      </p>
      <Facts>
        <Fact label="Image">
          <span className="break-all">{data?.release.imageRef ?? `of release ${releaseNumber}`}</span>
        </Fact>
        <Fact label={`Stay as ${to} has them`}>Settings, replicas, variables and staged changes</Fact>
      </Facts>
    </>
  );
}
