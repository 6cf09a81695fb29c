import { Fragment } from 'react';
import { useRights } from '../../control-plane/session.ts';
import { useDialog } from '../dialogs/use-dialog.ts';
import { Button } from '../forms/button.tsx';
import type { Action, DialogAction } from './action.ts';

/** One action as a button of its own; nothing where the role does not allow it. */
export function OneAction({ action, small = false }: { action: Action; small?: boolean }) {
  const may = useRights();
  const { about, open, key, show, close } = useDialog<DialogAction>();
  if (!may(action.role ?? 'admin')) return null;
  return (
    <>
      <Button
        small={small}
        {...(action.danger === true ? { look: 'danger' } : {})}
        onClick={() => ('act' in action ? action.act() : show(action))}
      >
        {action.label}
      </Button>
      {about !== undefined && <Fragment key={key}>{about.dialog({ open, onClose: close })}</Fragment>}
    </>
  );
}
