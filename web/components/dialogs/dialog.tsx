import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { XIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../forms/button.tsx';
import { classes } from '../style.ts';
import { DiscardQuestion } from './discard-question.tsx';
import { DismissalContext, useDismiss } from './dismissal.ts';
import { useDismissal } from './use-dismissal.ts';

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
  /** Whether something is typed and not saved, if the caller knows better than that somebody typed. */
  isDirty?: (() => boolean) | undefined;
  /** A question before a loss: read out at once, closed by its buttons and Escape only. */
  alert?: boolean;
}

/**
 * A modal dialog. Focus stays inside, Escape closes it, and focus returns to where it was. Over a half-typed form a click
 * beside it does nothing, and every other way out asks first, Back and closing the tab among them.
 */
export function Dialog({ open, onClose, onClosed, isDirty, alert = false, children, ...content }: DialogProps) {
  const { dismissal, asking, keep, discard } = useDismissal(open, onClose, isDirty);
  const state = {
    open,
    onOpenChange: (next: boolean, { reason }: { reason: string }) => {
      if (!next && !(reason === 'outside-press' && dismissal.isDirty())) dismissal.dismiss();
    },
    onOpenChangeComplete: (next: boolean) => !next && onClosed?.(),
    children: (
      <Content {...content}>
        <DismissalContext value={dismissal}>{children}</DismissalContext>
        <DiscardQuestion open={asking} onKeep={keep} onDiscard={discard} />
      </Content>
    ),
  };
  return alert ? <AlertDialog.Root {...state} /> : <BaseDialog.Root {...state} />;
}

function Content({ title, about, children, wide = false }: Pick<DialogProps, 'title' | 'about' | 'children' | 'wide'>) {
  return (
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
  );
}

function firstField(): HTMLElement | null {
  return document.querySelector(':is([role="dialog"], [role="alertdialog"]) [data-first]');
}

/** Of a form in a dialog: its main action, and the way out. */
export function SubmitOrCancel(props: {
  onCancel?: (() => void) | undefined;
  busy: boolean;
  disabled?: boolean;
  look?: 'strong' | 'danger';
  /** The focus starts on Cancel, so that a hasty Enter loses nothing. */
  cancelFirst?: boolean;
  children: ReactNode;
}) {
  const { onCancel, busy, disabled = false, look = 'strong', cancelFirst = false, children } = props;
  const dismiss = useDismiss(onCancel);
  return (
    <DialogActions>
      {onCancel !== undefined && (
        <Button onClick={dismiss} data-first={cancelFirst || undefined}>
          Cancel
        </Button>
      )}
      <Button type="submit" look={look} busy={busy} disabled={disabled}>
        {children}
      </Button>
    </DialogActions>
  );
}

/** The way out of a dialog in which nothing is left to decide. */
export function Done({ onClose }: { onClose: () => void }) {
  return (
    <DialogActions>
      <Button look="strong" onClick={onClose}>
        Done
      </Button>
    </DialogActions>
  );
}

/** Buttons of a dialog: cancel first, the main action last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-1 flex flex-wrap justify-end gap-2 max-sm:flex-col-reverse">{children}</div>;
}
