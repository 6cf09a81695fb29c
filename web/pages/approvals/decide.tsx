import { Fragment } from 'react';
import type { DialogAction } from '../../components/actions/action.ts';
import { OneAction } from '../../components/actions/one-action.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useSession } from '../../control-plane/session.ts';
import { usePageKeys } from '../../frame/palette/page-keys.ts';
import type { ApprovalAnswer } from './approval-words.tsx';
import { decision, withdrawal } from './decisions.tsx';

/** The decision about a pending approval, for those who may make it; for all others, whose decision it is. */
export function Decide({ approval }: { approval: ApprovalAnswer }) {
  const mayDecide = useMay('admin');
  const own = useSession()?.user.id === approval.requestedById;
  const { stale, waitsForYou } = approval;
  const withdraw = withdrawal(approval, usePlane().trpc);
  if (waitsForYou !== true) {
    return (
      <Notice tone="attention">
        <p>{waitsFor({ mayDecide, own })}</p>
        {own && (
          <div className="flex flex-wrap gap-2 pt-2 empty:hidden">
            {withdraw !== undefined && <OneAction small action={withdraw} />}
            {!stale && <OneAction small action={decision('break-glass', approval)} />}
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
      <Decisions approve={stale ? undefined : decision('approve', approval)} reject={decision('reject', approval)} />
    </div>
  );
}

/** Whose decision it is, for somebody who may not make it. */
export function waitsFor({ mayDecide, own }: { mayDecide: boolean; own: boolean }): string {
  return mayDecide && own
    ? 'You requested this, so another administrator or owner decides.'
    : 'Waits for an administrator or an owner of the organization.';
}

/** The buttons, or `a` and `r`, open the dialogs; the button there, or Enter in the reason, decides. */
function Decisions({ approve, reject }: { approve: DialogAction | undefined; reject: DialogAction }) {
  const { about, open, key, show, close } = useDialog<DialogAction>();
  usePageKeys({ a: approve && (() => show(approve)), r: () => show(reject) });
  return (
    <div className="flex flex-wrap gap-2">
      {approve !== undefined && (
        <Button look="strong" onClick={() => show(approve)}>
          {approve.label}
        </Button>
      )}
      <Button look="danger" onClick={() => show(reject)}>
        {reject.label}
      </Button>
      {about !== undefined && <Fragment key={key}>{about.dialog({ open, onClose: close })}</Fragment>}
    </div>
  );
}
