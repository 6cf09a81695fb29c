import { useQuery } from '@tanstack/react-query';
import { mayActAs } from '../../../../domain/roles.ts';
import { Notice } from '../../../components/notice.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMay, useMembership, useSession } from '../../../control-plane/session.ts';

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

/** Who ends the wait of what somebody is about to request: somebody who may decide does not decide about their own. */
export function heldUntil(environment: string, who: 'not-you' | 'others' | 'you-alone'): string {
  const decides = {
    'not-you': 'an administrator or an owner has approved it',
    others: 'another administrator or owner has approved it',
    'you-alone': 'you approve it yourself, because you are the only one who may',
  }[who];
  return `Nothing changes in ${environment} until ${decides}.`;
}

/** Whether anybody but this person may decide about approvals. Undefined: not known yet, or not asked for. */
function useOtherDeciders(asked: boolean): boolean | undefined {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const person = useSession()?.user;
  const members = useQuery(
    trpc.members.list.queryOptions({ path: { id }, query: { limit: 200 } }, { enabled: asked }),
  ).data;
  return members?.items.some(({ userId, role }) => userId !== person?.id && mayActAs(role, 'admin'));
}
