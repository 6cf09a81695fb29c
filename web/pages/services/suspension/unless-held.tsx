import type { ReactNode } from 'react';
import type { DialogAction, Shown } from '../../../components/actions/action.ts';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { BriefTime } from '../../../components/times/time.tsx';
import { ApprovalLink, useHeldThere } from '../../approvals/held/held-strip.tsx';
import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import type { ServiceOverview } from '../../environments/use-overview.ts';

/** The action, unless changes of the service are held together with others: then its dialog says who decides first, and where. */
export function unlessHeld(
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
