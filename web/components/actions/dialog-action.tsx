import type { ReactNode } from 'react';
import { Dialog } from '../dialogs/dialog.tsx';
import type { DialogAction } from './action.ts';

interface DialogActionProps extends Pick<DialogAction, 'label' | 'role'> {
  title: string;
  wide?: true;
  content: (close: () => void) => ReactNode;
}

/** Opens a dialog whose content is more, or less, than the form of one operation. */
export function dialogAction({ title, wide, content, ...offered }: DialogActionProps): DialogAction {
  return {
    ...offered,
    dialog: ({ open, onClose }) => (
      <Dialog open={open} onClose={onClose} title={title} wide={wide === true}>
        {content(onClose)}
      </Dialog>
    ),
  };
}
