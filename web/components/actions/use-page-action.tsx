import type { ReactNode } from 'react';
import { useRights } from '../../control-plane/session.ts';
import { useAddressDialog } from '../dialogs/use-address-dialog.ts';
import { Button } from '../forms/button.tsx';
import type { DialogAction } from './action.ts';
import { useOffers } from './offered.ts';

/**
 * The main action of a page, or a `plain` one beside it. Its dialog stands in the address under `name`, so that a link can open it and Back closes it. The
 * same button may stand in several places, as beside the heading and in an empty list.
 */
export function usePageAction(
  name: string,
  action: DialogAction | undefined,
  { look = 'strong' }: { look?: 'strong' | 'plain' } = {},
): { button: ReactNode; dialog: ReactNode } {
  const may = useRights();
  const { open, show, close } = useAddressDialog(name);
  const allowed = action !== undefined && may(action.role ?? 'admin');
  useOffers(allowed ? [{ label: action.label, run: show }] : []);
  if (!allowed) return { button: undefined, dialog: undefined };
  return {
    button: (
      <Button look={look} onClick={show}>
        {action.label}
      </Button>
    ),
    dialog: action.dialog({ open, onClose: close }),
  };
}
