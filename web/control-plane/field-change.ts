import type { QueryKey } from '@tanstack/react-query';
import { getUntypedClient } from '@trpc/client';
import type { BodyOf, OperationOf, PathOf, QueryOf } from '../components/forms/operation/fields.ts';
import { type Change, type ChangeOptions, useChange } from './change.ts';
import { nameOf } from './operation-name.ts';
import { withItems } from './pages.ts';
import { usePlane } from './plane.ts';

interface FieldChangeOptions<Input, Output, Field extends keyof BodyOf<Input>>
  extends Pick<ChangeOptions<BodyOf<Input>[Field], Output>, 'failed' | 'succeeded' | 'done'> {
  operation: OperationOf<Input, Output>;
  path: PathOf<Input>;
  query?: QueryOf<Input>;
  field: Field & string;
  /** The value as the page shows it. */
  value: NonNullable<BodyOf<Input>[Field]> | (null & BodyOf<Input>[Field]);
  /** A value in words, for the sentence about somebody else's change: "Grace changed it to deployer at 14:03". */
  word: (value: BodyOf<Input>[Field]) => string;
  /** Queries, of the thing or of lists that have it, that show the value before the answer. */
  shownBy: readonly QueryKey[];
  /** Finds the thing in a list, where that is not by the id in `path`. */
  isIt?: (item: never) => boolean;
  /** Undo is offered, unless the change cuts off whoever makes it. */
  undo?: false | undefined;
}

/**
 * A field that is set at once, by a menu or a switch. The request says what the person saw, and so does Undo: a change of
 * somebody else meanwhile is told and not taken back.
 *
 *     const role = useFieldChange({ operation: trpc.members.changeRole, path, field: 'role', value: member.role, … });
 *     role.send('admin');
 */
export function useFieldChange<Input, Output, Field extends keyof BodyOf<Input>>(
  options: FieldChangeOptions<Input, Output, Field>,
): Change<BodyOf<Input>[Field]> {
  type Value = BodyOf<Input>[Field];
  const { operation, path, query, field, value, word, shownBy, undo, failed, succeeded, done } = options;
  const { isIt = ({ id }: { id: string }) => id === (path as { id?: string }).id } = options;
  const { client } = usePlane();
  const name = nameOf(operation);
  const set = <Thing extends object>(thing: Thing, to: Value): Thing => ({ ...thing, [field]: to ?? undefined });
  const { send, ...change } = useChange<{ to: Value; was: Value }, Output>(
    ({ to, was }, sent) =>
      getUntypedClient(client).mutation(
        name,
        { path, query, body: { [field]: to, was: { [field]: was } } },
        sent,
      ) as Promise<Output>,
    {
      failed,
      succeeded: typeof succeeded === 'string' ? succeeded : (output, { to }) => succeeded(output, to),
      wordOf: (theirs) => word(theirs as Value),
      undo: undo === false ? undefined : ({ to, was }) => ({ to: was, was: to }),
      done: (output, { to }) => done?.(output, to),
      meanwhile: ({ to }) =>
        shownBy.map((queryKey) => ({
          queryKey,
          data: (before: object) =>
            'pages' in before
              ? withItems<object>((items) => items.map((item) => (isIt(item as never) ? set(item, to) : item)))(
                  before as never,
                )
              : set(before, to),
        })),
      touches: () => [[[name.split('.')[0]]]],
    },
  );
  return { ...change, send: (to) => send({ to, was: value as Value }) };
}
