import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { menuPopup } from '../dialogs/menu.tsx';

/** Where a menu opens: at the button of the row, or at the pointer. */
export interface MenuAt {
  button: HTMLElement;
  point?: { x: number; y: number } | undefined;
}

/** The one menu of a table, open for the row that was asked. */
export function RowMenu({
  label,
  at,
  open,
  onClose,
  children,
}: {
  label: string;
  at: MenuAt;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const { button, point } = at;
  const anchor = point === undefined ? button : { getBoundingClientRect: () => new DOMRect(point.x, point.y, 0, 0) };
  return (
    <BaseMenu.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseMenu.Portal>
        <BaseMenu.Positioner
          anchor={anchor}
          align={point === undefined ? 'end' : 'start'}
          sideOffset={point === undefined ? 4 : 0}
          className="z-50 outline-none"
        >
          <BaseMenu.Popup aria-label={label} finalFocus={() => button} className={menuPopup}>
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
