import type { QueryKey } from '@tanstack/react-query';
import { getUntypedClient } from '@trpc/client';
import type { OperationOf } from '../components/forms/operation/fields.ts';
import { type Change, type ChangeOptions, useChange } from './change.ts';
import { nameOf } from './operation-name.ts';
import { usePlane } from './plane.ts';

export interface OperationOptions<Input, Output> extends Omit<ChangeOptions<Input, Output>, 'touches'> {
  /** Queries to refetch besides those of the operation's group. */
  touches?: readonly QueryKey[];
}

/**
 * A change that is one operation.
 *
 *     const check = useOperation(trpc.gitConnections.check, { failed: '…', succeeded: ({ label }) => `${label} works` });
 *     check.send({ path: { id } });
 */
export function useOperation<Input, Output>(
  operation: OperationOf<Input, Output>,
  { touches = [], ...options }: OperationOptions<Input, Output>,
): Change<Input> {
  const { client } = usePlane();
  const name = nameOf(operation);
  return useChange((input: Input, sent) => getUntypedClient(client).mutation(name, input, sent) as Promise<Output>, {
    ...options,
    touches: () => [[[name.split('.')[0]]], ...touches],
  });
}
