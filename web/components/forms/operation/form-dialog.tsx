import { type ReactNode, useState } from 'react';
import { useBody } from '../../../control-plane/bodies.ts';
import { nameOf } from '../../../control-plane/operation-name.ts';
import { Dialog } from '../../dialogs/dialog.tsx';
import { OperationForm, type OperationFormProps } from './operation-form.tsx';
import { useUnsaved } from './use-unsaved.ts';

export interface FormDialogProps<Input, Output>
  extends Omit<OperationFormProps<Input, Output>, 'onCancel' | 'onDirty'> {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: ReactNode;
  /** Takes the place of the form once it was sent: a secret that is shown once. Dropped when the dialog closes. */
  after?: {
    title: (output: Output) => string;
    content: (output: Output, close: () => void) => ReactNode;
    wide?: true;
  };
}

/**
 * A dialog with the form of an operation.
 *
 *     <FormDialog operation={trpc.teams.rename} path={{ id }} current={team} fields={{ name: {} }}
 *       title="Rename Engines" submit="Rename" succeeded="Team renamed" open={open} onClose={close} />
 */
export function FormDialog<Input, Output>({
  open,
  onClose,
  title,
  about,
  after,
  done,
  ...form
}: FormDialogProps<Input, Output>) {
  const [made, setMade] = useState<{ output: Output }>();
  const unsaved = useUnsaved();
  // The dialog waits for its fields, so that the focus finds the first one.
  const ready = useBody(nameOf(form.operation)) !== undefined;
  const finish = (output: Output) => {
    // Saved: nobody is asked on the way to where `done` leads.
    unsaved.set(false);
    done?.(output);
    if (after === undefined) onClose();
    else setMade({ output });
  };
  const shown = made !== undefined && after !== undefined ? { ...after, output: made.output } : undefined;
  return (
    <Dialog
      open={open && ready}
      onClose={onClose}
      onClosed={() => {
        setMade(undefined);
        unsaved.set(false);
      }}
      // What stands in its place knows by itself whether somebody typed.
      isDirty={shown === undefined ? unsaved.is : undefined}
      title={shown === undefined ? title : shown.title(shown.output)}
      about={shown === undefined ? about : undefined}
      wide={shown?.wide === true}
    >
      {shown === undefined ? (
        <OperationForm<Input, Output> {...form} done={finish} onCancel={onClose} onDirty={unsaved.set} />
      ) : (
        shown.content(shown.output, onClose)
      )}
    </Dialog>
  );
}
