import { type ReactNode, useState } from 'react';
import type { Change } from '../../control-plane/change.ts';
import { Form, TextField } from '../forms/form.tsx';
import { ProblemNotice } from '../notice.tsx';
import { Dialog, SubmitOrCancel } from './dialog.tsx';

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Consequences of the action, and whether they can be undone. */
  children: ReactNode;
  /** Label of the button: the action, such as "Remove Ada". */
  confirm: string;
  change: Pick<Change<never>, 'sending' | 'problem'>;
  onConfirm: () => void;
  /** Must be typed as it is before it can be done. */
  typed?: { label: string; text: string };
  danger?: boolean;
}

/**
 * A confirmation before a change that others notice. Stays open while the request is in flight, and shows why it
 * failed.
 */
export function Confirm({
  open,
  onClose,
  title,
  children,
  confirm,
  change,
  onConfirm,
  typed,
  danger = true,
}: ConfirmProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && <ConfirmForm {...{ onClose, confirm, change, onConfirm, danger }} typed={typed} about={children} />}
    </Dialog>
  );
}

function ConfirmForm({
  about,
  onClose,
  confirm,
  change,
  onConfirm,
  typed,
  danger,
}: Pick<ConfirmProps, 'onClose' | 'confirm' | 'change' | 'onConfirm' | 'danger'> & {
  about: ReactNode;
  typed: ConfirmProps['typed'] | undefined;
}) {
  const [text, setText] = useState('');
  return (
    <Form places={[]} onSubmit={onConfirm}>
      <div className="text-pretty text-soft text-sm">{about}</div>
      <ProblemNotice problem={change.problem} />
      {typed !== undefined && <TextField name="typed" label={typed.label} value={text} onChange={setText} mono first />}
      <SubmitOrCancel
        onCancel={onClose}
        busy={change.sending}
        disabled={typed !== undefined && text !== typed.text}
        look={danger ? 'danger' : 'strong'}
      >
        {confirm}
      </SubmitOrCancel>
    </Form>
  );
}
