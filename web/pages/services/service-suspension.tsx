import type { ReactNode } from 'react';
import type { Action, DialogAction, Shown } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { ApprovalLink, useHeldThere } from '../approvals/held/held-strip.tsx';
import type { EnvironmentAnswer } from '../environments/use-environment.ts';
import type { ServiceOverview } from '../environments/use-overview.ts';

/** The action, unless changes of the service are held together with others: then its dialog says who decides first, and where. */
function unlessHeld(
  action: DialogAction,
  { serviceId, serviceName }: ServiceOverview,
  environment: EnvironmentAnswer,
): DialogAction {
  return {
    ...action,
    dialog: (shown) => (
      <UnlessHeld {...shown} serviceId={serviceId} name={serviceName} environment={environment}>
        {action.dialog(shown)}
      </UnlessHeld>
    ),
  };
}

interface UnlessHeldProps extends Shown {
  serviceId: string;
  name: string;
  environment: EnvironmentAnswer;
  children: ReactNode;
}

function UnlessHeld({ serviceId, name, environment, children, ...shown }: UnlessHeldProps) {
  const { held, isPending } = useHeldThere(environment.id, serviceId);
  const approval = held.find(({ changeSetId }) => changeSetId !== undefined);
  if (isPending) return null;
  if (approval === undefined) return children;
  return (
    <Dialog {...shown} title={`${name} cannot be suspended yet`}>
      <p className="text-pretty text-sm">
        Changes of it wait for an approval in {environment.name}: <ApprovalLink approval={approval} />, requested by{' '}
        {approval.requestedBy} <BriefTime at={approval.createdAt} />. Approve, reject or withdraw them first.
      </p>
    </Dialog>
  );
}

type Tools = Pick<Plane, 'trpc'>;

/** Stops a service in an environment, or starts it again. Where nothing of it runs or is about to, there is nothing to stop. */
export function suspensionActions(
  overview: ServiceOverview,
  environment: EnvironmentAnswer,
  { trpc }: Tools,
): Action[] {
  const { serviceId, serviceName, suspended, activeReleaseNumber, pendingDeployment } = overview;
  const { id: environmentId, name, production } = environment;
  const shared = {
    role: production ? 'admin' : 'deployer',
    path: { id: serviceId },
    touches: [trpc.environments.pathKey(), trpc.deployments.pathKey(), trpc.approvals.pathKey(), trpc.why.pathKey()],
  } as const;
  const suspend = {
    ...shared,
    label: 'Suspend',
    operation: trpc.services.suspend,
    succeeded: `${serviceName} is suspended`,
  } as const;
  if (suspended) {
    if (pendingDeployment?.kind === 'resume') {
      const text = `Its resumption is cancelled: ${serviceName} stays stopped in ${name}.`;
      return [confirmAction({ ...suspend, name: serviceName, body: { environmentId, deployments: 'cancel' }, text })];
    }
    const text =
      pendingDeployment !== undefined
        ? `Release ${pendingDeployment.releaseNumber} of ${serviceName} is being deployed in ${name}: it goes on, and the service does not stop with its end.`
        : activeReleaseNumber === undefined
          ? `Nothing of ${serviceName} was live in ${name}: it starts when it is deployed next.`
          : `${serviceName} starts again in ${name} with release ${activeReleaseNumber}, without an approval. What was applied meanwhile is not part of it.`;
    const resume = confirmAction({
      ...{ ...shared, label: 'Resume', name: serviceName, operation: trpc.services.resume, text },
      body: { environmentId, queue: true },
      succeeded: `Resuming ${serviceName}`,
    });
    return [resume];
  }
  const stops = `${serviceName} stops in ${name} at once: its instances end, and its schedules pause. Volumes, addresses and settings stay.`;
  const text = `${activeReleaseNumber === undefined ? `Nothing of ${serviceName} is live in ${name}.` : stops} Nothing of it is deployed there until it is resumed.`;
  if (pendingDeployment === undefined) {
    if (activeReleaseNumber === undefined) return [];
    return [confirmAction({ ...suspend, name: serviceName, body: { environmentId }, text })];
  }
  const held = overview.blocker === 'approval';
  const release = `The deployment of release ${pendingDeployment.releaseNumber}`;
  const asking = formAction({
    ...suspend,
    title: `Suspend ${serviceName}?`,
    about: held ? `${text} ${release}, which waits for an approval, is cancelled.` : text,
    start: { environmentId, deployments: 'cancel' },
    fields: {
      environmentId: { control: () => null },
      deployments: held
        ? { control: () => null }
        : {
            label: release,
            choices: [
              { value: 'cancel', label: 'Cancel it', hint: 'The service stops as soon as it has ended.' },
              { value: 'wait', label: 'Let it end', hint: 'If it has begun; one that waits is cancelled.' },
            ],
          },
    },
    submit: 'Suspend',
  });
  return [unlessHeld(asking, overview, environment)];
}

interface Suspending {
  overview: ServiceOverview;
  environment: EnvironmentAnswer;
}

/** The same as a button. */
export function SuspensionButton({ overview, environment }: Suspending) {
  const [action] = suspensionActions(overview, environment, usePlane());
  return action === undefined ? null : <OneAction action={action} small />;
}

/** Says of a suspended service who stopped it and since when. */
export function SuspendedNotice({ overview, environment }: Suspending) {
  const { serviceName, suspended, suspendedAt, suspendedBy, pendingDeployment } = overview;
  if (!suspended) return null;
  return (
    <Notice title={`${serviceName} is suspended`}>
      <p>
        Nothing of it runs in {environment.name}
        {suspendedBy !== '' && `: suspended by ${suspendedBy}`}
        {suspendedAt !== undefined && (
          <>
            {' '}
            since <BriefTime at={suspendedAt} />
          </>
        )}
        . {pendingDeployment === undefined ? 'What is applied is stored, and not started.' : 'It is being resumed.'}
      </p>
    </Notice>
  );
}
