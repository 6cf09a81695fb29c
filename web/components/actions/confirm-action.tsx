import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useOperation } from '../../control-plane/operation.ts';
import { Confirm } from '../dialogs/confirm.tsx';
import { AcceptDowntime, AcceptMissing } from '../forms/accept.tsx';
import type { BodyOf, OperationOf, PathOf, QueryOf } from '../forms/operation/fields.ts';
import type { DialogAction, Shown } from './action.ts';

interface ConfirmActionProps<Input, Output> extends Pick<DialogAction, 'label' | 'role'> {
  operation: OperationOf<Input, Output>;
  path: PathOf<Input>;
  query?: QueryOf<Input>;
  body?: BodyOf<Input>;
  /** The thing, in the question. */
  name?: string;
  /** What follows from it. */
  text: ReactNode;
  /** The button of the dialog, where it is not the label. */
  confirm?: string;
  succeeded: string | ((output: Output) => string);
  done?: (output: Output) => void;
  /** Queries to refetch besides those of the operation's group. */
  touches?: readonly QueryKey[];
}

/**
 * Asks before an operation that others notice and that loses nothing; once more where a service would be down for a moment,
 * or where variables are missing.
 *
 *     confirmAction({ label: 'Redeploy', operation: trpc.services.redeploy, path: { id }, text: '…', succeeded: '…' })
 */
export function confirmAction<Input, Output>({ role, ...props }: ConfirmActionProps<Input, Output>): DialogAction {
  return {
    label: props.label,
    role,
    dialog: (shown) => <ConfirmOperation<Input, Output> {...props} {...shown} />,
  };
}

function ConfirmOperation<Input, Output>(props: Omit<ConfirmActionProps<Input, Output>, 'role'> & Shown) {
  const { operation, path, query, body, label, name, text, confirm = label, ...rest } = props;
  const { succeeded, done, touches = [], ...shown } = rest;
  const [accepted, setAccepted] = useState(false);
  const [without, setWithout] = useState(false);
  const change = useOperation(operation as OperationOf<object, Output>, {
    failed: `${label}: failed`,
    succeeded,
    quiet: true,
    touches,
    done: (output) => {
      shown.onClose();
      done?.(output);
    },
  });
  const acceptance = { ...(accepted && { downtimeAccepted: true }), ...(without && { missingAccepted: true }) };
  return (
    <Confirm
      {...shown}
      title={name === undefined ? `${label}?` : `${label} ${name}?`}
      confirm={confirm}
      change={change}
      onConfirm={() => change.send({ path, query, body: body && { ...body, ...acceptance } })}
    >
      {text}
      {(accepted || change.problem?.downtime === true) && <AcceptDowntime checked={accepted} onChange={setAccepted} />}
      {(without || change.problem?.missing === true) && <AcceptMissing checked={without} onChange={setWithout} />}
    </Confirm>
  );
}
