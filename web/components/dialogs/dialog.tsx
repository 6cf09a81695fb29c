import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { XIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../forms/button.tsx';
import { classes } from '../style.ts';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
  /** Called after the dialog has left the screen, when its state may be dropped. */
  onClosed?: () => void;
  /** For content wider than a form: files, long commands. */
  wide?: boolean;
  /** Something is typed and not saved: a click beside the dialog does not close it. */
  dirty?: boolean;
}

/** A modal dialog. Focus stays inside, Escape closes it, and focus returns to where it was. */
export function Dialog({ open, onClose, title, about, children, onClosed, wide = false, dirty = false }: DialogProps) {
  return (
    <BaseDialog.Root
      open={open}
      disablePointerDismissal={dirty}
      onOpenChange={(next) => !next && onClose()}
      onOpenChangeComplete={(next) => !next && onClosed?.()}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-[light-dark(rgb(20_20_24/35%),rgb(0_0_0/60%))] transition-opacity duration-100 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <BaseDialog.Viewport className="fixed inset-0 z-50 flex items-start justify-center overflow-y-auto px-4 pt-[12vh] pb-8 max-sm:items-end max-sm:px-0 max-sm:pb-0">
          <BaseDialog.Popup
            initialFocus={(interaction) => (interaction === 'touch' ? true : (firstField() ?? true))}
            className={classes(
              'w-full rounded-xl bg-raised shadow-raised transition-[opacity,scale] duration-100 data-[ending-style]:scale-[0.98] data-[starting-style]:scale-[0.98] data-[ending-style]:opacity-0 data-[starting-style]:opacity-0 max-sm:rounded-b-none',
              wide ? 'max-w-4xl' : 'max-w-lg',
            )}
          >
            <div className="flex items-start gap-3 px-5 pt-4.5">
              <div className="min-w-0 flex-1">
                <BaseDialog.Title className="font-semibold text-lg tracking-[-0.01em]">{title}</BaseDialog.Title>
                {about !== undefined && (
                  <BaseDialog.Description className="mt-0.5 text-pretty text-soft text-sm" render={<div />}>
                    {about}
                  </BaseDialog.Description>
                )}
              </div>
              <span className="-mt-1 -mr-1.5">
                <BaseDialog.Close
                  render={
                    <IconButton label="Close">
                      <XIcon />
                    </IconButton>
                  }
                />
              </span>
            </div>
            <div className="px-5 pt-4 pb-5">{children}</div>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function firstField(): HTMLElement | null {
  return document.querySelector('[role="dialog"] [data-first]');
}

/** Of a form in a dialog: its main action, and the way out. */
export function SubmitOrCancel(props: {
  onCancel?: () => void;
  busy: boolean;
  disabled?: boolean;
  look?: 'strong' | 'danger';
  children: ReactNode;
}) {
  const { onCancel, busy, disabled = false, look = 'strong', children } = props;
  return (
    <DialogActions>
      {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      <Button type="submit" look={look} busy={busy} disabled={disabled}>
        {children}
      </Button>
    </DialogActions>
  );
}

/** Buttons of a dialog: cancel first, the main action last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-1 flex flex-wrap justify-end gap-2 max-sm:flex-col-reverse">{children}</div>;
}
