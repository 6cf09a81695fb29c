import { Fragment, type ReactNode } from 'react';
import { useRights } from '../../control-plane/session.ts';
import { MenuItem, MenuSeparator } from '../dialogs/menu.tsx';
import { useDialog } from '../dialogs/use-dialog.ts';
import type { Action, DialogAction } from './action.ts';

/** Actions on things of which one has its dialog open at a time. */
export function useActions(): {
  /** Of these, the ones that the role allows. */
  allowed: (actions: readonly Action[]) => readonly Action[];
  /** Lines of a menu. */
  items: (actions: readonly Action[]) => ReactNode;
  choose: (action: Action) => void;
  /** The dialog of the one that was chosen. */
  dialog: ReactNode;
} {
  const may = useRights();
  const { about, open, key, show, close } = useDialog<DialogAction>();
  const choose = (action: Action) => ('act' in action ? action.act() : show(action));
  return {
    choose,
    allowed: (actions) => actions.filter(({ role = 'admin' }) => may(role)),
    items: (actions) =>
      actions.map((action, index) => (
        <Fragment key={action.label}>
          {action.danger && actions[index - 1]?.danger === undefined && index > 0 && <MenuSeparator />}
          <MenuItem danger={action.danger === true} onSelect={() => choose(action)}>
            {action.label}
          </MenuItem>
        </Fragment>
      )),
    dialog: about !== undefined && <Fragment key={key}>{about.dialog({ open, onClose: close })}</Fragment>,
  };
}
