import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';

/** The sidebar on narrow screens. */
export function Drawer({
  open,
  onClose,
  focusAfter,
  children,
}: {
  open: boolean;
  onClose: () => void;
  /** Receives the focus after a link in the drawer was followed. */
  focusAfter: () => HTMLElement | null;
  children: ReactNode;
}) {
  const leaving = useRef(false);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[light-dark(rgb(20_20_24/35%),rgb(0_0_0/60%))]" />
        <Dialog.Popup
          aria-label="Menu"
          onClick={({ target }) => {
            // Links to the current page close the drawer, too.
            leaving.current = target instanceof Element && target.closest('a, [data-leaves]') !== null;
            if (leaving.current) onClose();
          }}
          finalFocus={() => (leaving.current ? focusAfter() : true)}
          className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] overflow-y-auto bg-ground shadow-raised outline-none"
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
