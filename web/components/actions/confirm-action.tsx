import type { QueryKey } from '@tanstack/react-query';
import { getUntypedClient } from '@trpc/client';
import { type ReactNode, useState } from 'react';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { nameOf } from '../../control-plane/operation-name.ts';
import { usePlane } from '../../control-plane/plane.ts';
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
    ...(role === undefined ? {} : { role }),
    dialog: (shown) => <ConfirmOperation<Input, Output> {...props} {...shown} />,
  };
}

function ConfirmOperation<Input, Output>(props: Omit<ConfirmActionProps<Input, Output>, 'role'> & Shown) {
  const {
    operation,
    path,
    query,
    body,
    label,
    name,
    text,
    confirm = label,
    succeeded,
    done,
    touches = [],
    ...shown
  } = props;
  const { client } = usePlane();
  const [accepted, setAccepted] = useState(false);
  const [without, setWithout] = useState(false);
  const change = useChange(
    (acceptance: { downtimeAccepted?: true; missingAccepted?: true }, sent: Sent) =>
      getUntypedClient(client).mutation(
        nameOf(operation),
        {
          path,
          ...(query === undefined ? {} : { query }),
          ...(body === undefined ? {} : { body: { ...body, ...acceptance } }),
        },
        sent,
      ) as Promise<Output>,
    {
      failed: `${label}: failed`,
      succeeded,
      quiet: true,
      touches: () => [[[nameOf(operation).split('.')[0]]], ...touches],
      done: (output) => {
        shown.onClose();
        done?.(output);
      },
    },
  );
  return (
    <Confirm
      {...shown}
      title={name === undefined ? `${label}?` : `${label} ${name}?`}
      confirm={confirm}
      change={change}
      onConfirm={() =>
        change.send({
          ...(accepted ? { downtimeAccepted: true } : {}),
          ...(without ? { missingAccepted: true } : {}),
        })
      }
    >
      {text}
      {(accepted || change.problem?.downtime === true) && <AcceptDowntime checked={accepted} onChange={setAccepted} />}
      {(without || change.problem?.missing === true) && <AcceptMissing checked={without} onChange={setWithout} />}
    </Confirm>
  );
}
