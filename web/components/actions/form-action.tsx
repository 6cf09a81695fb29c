import { FormDialog, type FormDialogProps } from '../forms/operation/form-dialog.tsx';
import type { DialogAction } from './action.ts';

type FormActionProps<Input, Output> = Pick<DialogAction, 'label' | 'role'> &
  Omit<FormDialogProps<Input, Output>, 'open' | 'onClose' | 'title' | 'submit'> & {
    /** The heading of the dialog, where it is not the label. */
    title?: string;
    /** The button of the dialog, where it is not the label. */
    submit?: string;
  };

/**
 * Opens the form of an operation.
 *
 *     formAction({ label: 'Rename', operation: trpc.teams.rename, path: { id }, current: team, fields: { name: {} }, … })
 */
export function formAction<Input, Output>({ role, ...form }: FormActionProps<Input, Output>): DialogAction {
  const { label, title = label, submit = label, ...rest } = form;
  return {
    label,
    role,
    dialog: (shown) => <FormDialog<Input, Output> {...rest} {...shown} title={title} submit={submit} />,
  };
}
