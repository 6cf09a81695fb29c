import { useQuery } from '@tanstack/react-query';
import type { DialogAction, Shown } from '../../../components/actions/action.ts';
import { confirmAction } from '../../../components/actions/confirm-action.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { Fact, Facts } from '../../../components/page.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { HeldFirst } from '../../approvals/held/held-first.tsx';
import { useOverview } from '../../environments/use-overview.ts';
import { begun, type DeploymentTools } from '../deployment-actions.tsx';
import { lackingOf, PromoteForm, type Promotion, type PromotionTarget } from './promote-form.tsx';

/** Runs the image of a release in another environment of its project; `adds`: one that lacks the service. */
export function promoteAction(
  promotion: Promotion,
  to: PromotionTarget,
  tools: DeploymentTools,
  { adds = false }: { adds?: boolean } = {},
): DialogAction {
  const label = adds ? `Add to ${to.name}` : `Promote to ${to.name}`;
  return {
    role: 'deployer',
    label,
    dialog: (shown) => <PromoteDialog promotion={promotion} to={to} tools={tools} label={label} shown={shown} />,
  };
}

interface PromoteDialogProps {
  promotion: Promotion;
  to: PromotionTarget;
  tools: DeploymentTools;
  label: string;
  shown: Shown;
}

/** A question where the target has all that it needs, and a form where it does not. */
function PromoteDialog({ promotion, to, tools, label, shown }: PromoteDialogProps) {
  const { trpc } = usePlane();
  const { serviceId, serviceName, releaseId, releaseNumber, environmentName } = promotion;
  const asked = { path: { id: serviceId }, query: { releaseId, toEnvironmentId: to.id } };
  const { data: preview, error } = useQuery(
    // Changes that are staged or applied meanwhile count: each dialog asks anew, and keeps no answer.
    trpc.deployments.previewPromotion.queryOptions(asked, { enabled: shown.open, gcTime: 0, staleTime: Infinity }),
  );
  if (preview === undefined && error === null) return null;
  if (preview === undefined || (!preview.adds && lackingOf(preview).length === 0))
    return questionOf(promotion, to, tools).dialog(shown);
  const what = preview.adds
    ? `${serviceName} is not in ${to.name} yet. It is added as release ${releaseNumber} of ${environmentName} is set up; secrets do not come along.`
    : `${to.name} has no value for variables that release ${releaseNumber} of ${environmentName} has.`;
  return (
    <Dialog open={shown.open} onClose={shown.onClose} title={`${label}: ${serviceName}`} about={what}>
      <PromoteForm promotion={promotion} to={to} preview={preview} tools={tools} onClose={shown.onClose} />
    </Dialog>
  );
}

function questionOf(promotion: Promotion, to: PromotionTarget, tools: DeploymentTools): DialogAction {
  const { serviceId, serviceName, releaseId } = promotion;
  const { trpc, follow, touches } = tools;
  return confirmAction({
    role: 'deployer',
    label: `Promote to ${to.name}`,
    confirm: 'Promote',
    operation: trpc.deployments.promote,
    path: { id: serviceId },
    body: { releaseId, toEnvironmentId: to.id, queue: true, source: 'console' },
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
function Travels({ promotion, to }: { promotion: Promotion; to: PromotionTarget }) {
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
