import type { ReactNode } from 'react';
import type { Change } from '../../control-plane/change.ts';
import { Form } from '../forms/form.tsx';
import { ProblemNotice } from '../notice.tsx';
import { Dialog, SubmitOrCancel } from './dialog.tsx';

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Consequences of the action. */
  children: ReactNode;
  /** Label of the button: the action, such as "Update agent". */
  confirm: string;
  change: Pick<Change<never>, 'sending' | 'problem'>;
  onConfirm: () => void;
}

/**
 * A confirmation before a change that others notice and that loses nothing (`DeleteDialog` is for those that do). Stays open
 * while the request is in flight, and shows why it failed.
 */
export function Confirm({ open, onClose, title, children, confirm, change, onConfirm }: ConfirmProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <Form places={[]} onSubmit={onConfirm}>
        <div className="text-pretty text-soft text-sm">{children}</div>
        <ProblemNotice problem={change.problem} />
        <SubmitOrCancel onCancel={onClose} busy={change.sending}>
          {confirm}
        </SubmitOrCancel>
      </Form>
    </Dialog>
  );
}
