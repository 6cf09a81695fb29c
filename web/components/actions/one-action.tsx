import { Fragment, type ReactNode } from 'react';
import { useRights } from '../../control-plane/session.ts';
import { useDialog } from '../dialogs/use-dialog.ts';
import { Button } from '../forms/button.tsx';
import type { Action, DialogAction } from './action.ts';
import { useOffers } from './offered.ts';

interface OneActionProps {
  action: Action;
  small?: boolean;
  /** The text on the button where the label, which stays its name, is too long for it. */
  face?: ReactNode;
  /** Its name among the stops of the arrow keys. */
  stop?: string;
}

/** One action as a button of its own; nothing where the role does not allow it. */
export function OneAction({ action, small = false, face, stop }: OneActionProps) {
  const may = useRights();
  const { about, open, key, show, close } = useDialog<DialogAction>();
  const allowed = may(action.role ?? 'admin');
  const run = () => ('act' in action ? action.act() : show(action));
  useOffers(allowed ? [{ label: action.label, run }] : []);
  if (!allowed) return null;
  return (
    <>
      <Button
        small={small}
        look={action.danger && 'danger'}
        aria-label={face === undefined ? undefined : action.label}
        title={face === undefined ? undefined : action.label}
        data-column-stop={stop}
        onClick={run}
      >
        {face ?? action.label}
      </Button>
      {about !== undefined && <Fragment key={key}>{about.dialog({ open, onClose: close })}</Fragment>}
    </>
  );
}
