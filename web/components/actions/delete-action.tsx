import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useOperation } from '../../control-plane/operation.ts';
import type { Affected } from '../dialogs/affected-list.tsx';
import { DeleteDialog } from '../dialogs/delete-dialog.tsx';
import type { BodyOf, OperationOf, PathOf, QueryOf } from '../forms/operation/fields.ts';
import { asSentence } from '../forms/operation/values.ts';
import type { DialogAction } from './action.ts';

type DeleteActionProps<Input> = Omit<DeleteOperationProps<Input>, 'open' | 'onClose' | 'children'> & {
  /** As it is offered, where that is more than the verb. */
  label?: string;
  role?: DialogAction['role'];
  /** The consequences, and whether they can be undone. */
  consequences: DeleteOperationProps<Input>['children'];
};

/**
 * Asks before it ends something.
 *
 *     deleteAction({ noun: 'team', name: team.name, operation: trpc.teams.delete, path: { id }, consequences: '…' })
 */
export function deleteAction<Input>({ role, label, consequences, ...rest }: DeleteActionProps<Input>): DialogAction {
  return {
    label: label ?? rest.verb ?? 'Delete',
    danger: true,
    role,
    dialog: (shown) => (
      <DeleteOperation<Input> {...rest} {...shown}>
        {consequences}
      </DeleteOperation>
    ),
  };
}

interface DeleteOperationProps<Input> {
  operation: OperationOf<Input, unknown>;
  path: PathOf<Input>;
  query?: QueryOf<Input>;
  body?: BodyOf<Input>;
  /** The thing in a sentence: "Engines", "the invitation of ada@example.com". */
  name: string;
  /** `Delete`, unless it is another one that takes a d: Revoke, Remove, Purge. */
  verb?: string;
  /** For the button, as in "Delete team". Without it, the name. */
  noun?: string;
  /** Announced to screen readers, where it is not "Engines deleted". */
  succeeded?: string;
  /** The page that is shown next does not show the result. */
  elsewhere?: true;
  done?: (() => void | Promise<void>) | undefined;
  open: boolean;
  onClose: () => void;
  affected?: readonly Affected[];
  /** Must be typed as it is before it can be done. */
  typed?: string;
  /** Something is in the way, which the consequences name. */
  blocked?: boolean;
  /** Queries to refetch besides those of the operation's group. */
  touches?: readonly QueryKey[];
  /** Consequences, and whether they can be undone. */
  children: ReactNode;
}

/** Asks before an operation that ends something, and sends it. */
function DeleteOperation<Input>(props: DeleteOperationProps<Input>) {
  const { operation, path, query, body, name, verb = 'Delete', noun = name, typed, touches = [], ...dialog } = props;
  const { succeeded, elsewhere, done, open, onClose, affected, blocked, children } = dialog;
  const ended = `${verb.toLowerCase()}d`;
  const change = useOperation(operation as OperationOf<object, unknown>, {
    failed: `${verb} ${name}: failed`,
    succeeded: succeeded ?? asSentence(`${name} ${ended}`),
    quiet: true,
    elsewhere,
    done: () => {
      onClose();
      void done?.();
    },
    touches,
  });
  return (
    <DeleteDialog
      open={open}
      onClose={onClose}
      title={`${verb} ${name}?`}
      confirm={`${verb} ${noun}`}
      affected={affected}
      blocked={blocked}
      typed={typed}
      change={change}
      onConfirm={() => change.send({ path, query, body })}
    >
      {children}
    </DeleteDialog>
  );
}
