import { DeleteOperation, type DeleteOperationProps } from '../dialogs/delete-operation.tsx';
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
    ...(role === undefined ? {} : { role }),
    dialog: (shown) => (
      <DeleteOperation<Input> {...rest} {...shown}>
        {consequences}
      </DeleteOperation>
    ),
  };
}
