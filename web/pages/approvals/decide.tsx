import { OneAction } from '../../components/actions/one-action.tsx';
import { Notice } from '../../components/notice.tsx';
import { useMay, useSession } from '../../control-plane/session.ts';
import type { ApprovalAnswer } from './approval-words.tsx';
import { decision } from './decisions.tsx';

/** The decision about a pending approval, for those who may make it; for all others, whose decision it is. */
export function Decide({ approval }: { approval: ApprovalAnswer }) {
  const mayDecide = useMay('admin');
  const own = useSession()?.user.id === approval.requestedById;
  const { stale, waitsForYou } = approval;
  if (waitsForYou !== true) {
    return (
      <Notice tone="attention">
        {mayDecide && own
          ? 'You requested this, so another administrator or owner decides.'
          : 'Waits for an administrator or an owner of the organization.'}
        {own && !stale && (
          <div className="pt-2 empty:hidden">
            <OneAction small action={decision('break-glass', approval)} />
          </div>
        )}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      {own && (
        <Notice>You may approve your own change, because you are the only one who may. It is recorded as that.</Notice>
      )}
      <div className="flex flex-wrap gap-2">
        {!stale && <OneAction action={decision('approve', approval)} />}
        <OneAction action={decision('reject', approval)} />
      </div>
    </div>
  );
}
