import { Fragment } from 'react';
import type { DialogAction } from '../../components/actions/action.ts';
import { OneAction } from '../../components/actions/one-action.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useSession } from '../../control-plane/session.ts';
import { usePageKeys } from '../../frame/palette/page-keys.ts';
import type { ApprovalAnswer, ListedApproval } from './approval-words.tsx';
import { decision, withdrawal } from './decisions.tsx';

/** The decision about a pending approval, for those who may make it; for all others, whose decision it is. */
export function Decide({ approval }: { approval: ApprovalAnswer }) {
  const own = useSession()?.user.id === approval.requestedById;
  const { stale, waitsForYou, whyNotYou, selfApproves, deciders } = approval;
  const withdraw = withdrawal(approval, usePlane().trpc);
  if (waitsForYou !== true) {
    const glass = !stale && whyNotYou !== '' && whyNotYou !== 'role';
    return (
      <Notice tone="attention">
        <p>
          {waitsFor(whyNotYou)}
          {deciders.length > 0 && ` May decide: ${deciders.map(({ name }) => name).join(', ')}.`}
        </p>
        {(own || glass) && (
          <div className="flex flex-wrap gap-2 pt-2 empty:hidden">
            {own && withdraw !== undefined && <OneAction small action={withdraw} />}
            {glass && <OneAction small action={decision('break-glass', approval)} />}
          </div>
        )}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      {selfApproves === true && (
        <Notice>
          You may decide although {own ? 'you requested this' : 'a part of this is yours'}, because nobody else could.
          It is recorded as that.
        </Notice>
      )}
      <Decisions approve={stale ? undefined : decision('approve', approval)} reject={decision('reject', approval)} />
    </div>
  );
}

const others = 'so another administrator or owner decides.';
const refusals: Record<ListedApproval['whyNotYou'], string> = {
  '': '',
  role: 'Waits for an administrator or an owner of the organization.',
  job: 'Waits for an administrator or an owner of the organization.',
  requested: `You requested this, ${others}`,
  staged: `You staged a part of this, ${others}`,
  'trusted-issuer': `A CI job requested or staged a part of this by a trusted issuer that you created or changed, ${others}`,
};

/** Whose decision it is, for somebody who may not make it. */
export function waitsFor(whyNotYou: ListedApproval['whyNotYou']): string {
  return refusals[whyNotYou];
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
