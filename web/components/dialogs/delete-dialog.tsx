import { type ReactNode, useState } from 'react';
import type { Change } from '../../control-plane/change.ts';
import { Form, TextField } from '../forms/form.tsx';
import { ProblemNotice } from '../notice.tsx';
import { type Affected, AffectedList } from './affected-list.tsx';
import { Dialog, SubmitOrCancel } from './dialog.tsx';

interface DeleteDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Consequences, and whether they can be undone. */
  children: ReactNode;
  /** Things that are deleted with it, end or stop, by name. */
  affected?: readonly Affected[] | undefined;
  /** Label of the button: the action, such as "Delete team". */
  confirm: string;
  change: Pick<Change<never>, 'sending' | 'problem'>;
  onConfirm: () => void;
  /** Must be typed as it is before it can be done. */
  typed?: string | undefined;
  /** Something is in the way, which the consequences name. */
  blocked?: boolean | undefined;
}

/**
 * The question before a loss that no Undo brings back. The focus starts on Cancel; the dialog stays open while the request
 * is in flight, and shows why it failed.
 */
export function DeleteDialog({ open, onClose, title, ...form }: DeleteDialogProps) {
  return (
    <Dialog alert open={open} onClose={onClose} title={title}>
      <DeleteForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function DeleteForm({
  children,
  affected = [],
  onClose,
  confirm,
  change,
  onConfirm,
  typed,
  blocked = false,
}: Omit<DeleteDialogProps, 'open' | 'title'>) {
  const [text, setText] = useState('');
  return (
    <Form places={[]} onSubmit={onConfirm}>
      <div className="text-pretty text-soft text-sm">{children}</div>
      <AffectedList affected={affected} />
      <ProblemNotice problem={change.problem} />
      {typed !== undefined && !blocked && (
        <TextField name="typed" label={`Type ${typed} to confirm`} value={text} onChange={setText} mono />
      )}
      <SubmitOrCancel
        onCancel={onClose}
        busy={change.sending}
        disabled={blocked || (typed !== undefined && text !== typed)}
        look="danger"
        cancelFirst
      >
        {confirm}
      </SubmitOrCancel>
    </Form>
  );
}
