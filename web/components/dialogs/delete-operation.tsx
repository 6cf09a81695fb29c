import type { QueryKey } from '@tanstack/react-query';
import { getUntypedClient } from '@trpc/client';
import type { ReactNode } from 'react';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { nameOf } from '../../control-plane/operation-name.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Affected } from './affected-list.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

interface DeleteOperationProps {
  operation: { mutationKey(): readonly unknown[]; '~types': { input: { path: { id: string } } } };
  thing: { id: string; name: string };
  verb: 'Delete' | 'Revoke';
  /** As in "Delete team". */
  noun: string;
  open: boolean;
  onClose: () => void;
  affected?: readonly Affected[];
  /** Queries to refetch besides those of the operation's group. */
  touches?: readonly QueryKey[];
  /** Consequences, and whether they can be undone. */
  children: ReactNode;
}

/** Asks before an operation that ends a thing of a list, and sends it. */
export function DeleteOperation({ operation, thing, verb, noun, touches = [], ...dialog }: DeleteOperationProps) {
  const { client } = usePlane();
  const name = nameOf(operation);
  const ended = `${verb.toLowerCase()}d`;
  const change = useChange(
    (_: undefined, sent: Sent) => getUntypedClient(client).mutation(name, { path: { id: thing.id } }, sent),
    {
      failed: `${thing.name} could not be ${ended}`,
      succeeded: `${thing.name} ${ended}`,
      quiet: true,
      done: dialog.onClose,
      touches: () => [[[name.split('.')[0]]], ...touches],
    },
  );
  return (
    <DeleteDialog
      {...dialog}
      title={`${verb} ${thing.name}?`}
      confirm={`${verb} ${noun}`}
      change={change}
      onConfirm={() => change.send(undefined)}
    />
  );
}
