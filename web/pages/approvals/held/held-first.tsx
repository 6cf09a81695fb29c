import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../../components/notice.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMay } from '../../../control-plane/session.ts';
import { useOtherDeciders } from '../other-deciders.ts';
import { heldUntil } from './held-until.ts';

/** Says in a dialog that its release will be held, and who decides; nothing where it starts at once. */
export function HeldFirst({ of }: { of: { environmentId: string; serviceId: string } }) {
  const { trpc } = usePlane();
  const { environmentId, serviceId } = of;
  const environment = useQuery(trpc.environments.get.queryOptions({ path: { id: environmentId } })).data;
  const production = environment?.production === true;
  const service = useQuery(
    trpc.services.get.queryOptions({ path: { id: serviceId }, query: {} }, { enabled: production }),
  ).data;
  const mayDecide = useMay('admin');
  const others = useOtherDeciders(production && mayDecide);
  if (!production || service?.skipProductionApproval !== false) return null;
  return (
    <div className="pt-3">
      <Notice tone="attention" title="It will wait for an approval">
        {heldUntil(environment.name, !mayDecide ? 'not-you' : others === false ? 'you-alone' : 'others')}
      </Notice>
    </div>
  );
}
