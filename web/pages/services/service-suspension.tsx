import type { Action } from '../../components/actions/action.ts';
import { confirmAction } from '../../components/actions/confirm-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Notice } from '../../components/notice.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import type { EnvironmentAnswer } from '../environments/use-environment.ts';
import type { ServiceOverview } from '../environments/use-overview.ts';

type Tools = Pick<Plane, 'trpc'>;

/** Stops a service in an environment, or starts it again; nothing while it is being resumed. */
export function suspensionActions(
  { serviceId, serviceName, suspended, activeReleaseNumber, pendingDeployment }: ServiceOverview,
  { id: environmentId, name, production }: EnvironmentAnswer,
  { trpc }: Tools,
): readonly Action[] {
  const touches = [trpc.environments.pathKey(), trpc.deployments.pathKey(), trpc.why.pathKey()];
  const role = production ? 'admin' : 'deployer';
  if (suspended) {
    if (pendingDeployment !== undefined) return [];
    const resume = confirmAction({
      role,
      label: 'Resume',
      name: serviceName,
      operation: trpc.services.resume,
      path: { id: serviceId },
      body: { environmentId, queue: true },
      text:
        activeReleaseNumber === undefined
          ? `Nothing of ${serviceName} was live in ${name}: it starts when it is deployed next.`
          : `${serviceName} starts again in ${name} with release ${activeReleaseNumber}, without an approval. What was applied meanwhile is not part of it.`,
      succeeded: `Resuming ${serviceName}`,
      touches,
    });
    return [resume];
  }
  if (activeReleaseNumber === undefined) return [];
  const text = `${serviceName} stops in ${name} at once: its instances end, and its schedules pause. Volumes, addresses and settings stay. Nothing of it is deployed there until it is resumed.`;
  const suspend = {
    role,
    label: 'Suspend',
    operation: trpc.services.suspend,
    path: { id: serviceId },
    succeeded: `${serviceName} is suspended`,
    touches,
  } as const;
  if (pendingDeployment === undefined) {
    return [confirmAction({ ...suspend, name: serviceName, body: { environmentId }, text })];
  }
  const asking = formAction({
    ...suspend,
    title: `Suspend ${serviceName}?`,
    about: text,
    start: { environmentId, deployments: 'cancel' },
    fields: {
      environmentId: { control: () => null },
      deployments: {
        label: `The deployment of release ${pendingDeployment.releaseNumber}`,
        choices: [
          { value: 'cancel', label: 'Cancel it', hint: 'The service stops as soon as it has ended.' },
          { value: 'wait', label: 'Let it end', hint: 'If it has begun; one that waits is cancelled.' },
        ],
      },
    },
    submit: 'Suspend',
  });
  return [asking];
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
