import { type ReactNode, useState } from 'react';
import { useOperation } from '../../../control-plane/operation.ts';
import type { Pages } from '../../../control-plane/pages.ts';
import { SubmitOrCancel } from '../../dialogs/dialog.tsx';
import { useTyped } from '../../dialogs/dismissal.ts';
import { LoadedPages } from '../../states.tsx';
import { Checkbox, Form, TextField } from '../form.tsx';
import type { OperationOf } from './fields.ts';
import { asSentence } from './values.ts';

interface Changed {
  add: string[];
  remove: string[];
}

/** An operation that changes a set by what is added and removed (api/engine/input/set-change.ts). */
export interface SetOperationProps<Path> {
  operation: OperationOf<
    { path: Path; body?: { add?: string[] | undefined; remove?: string[] | undefined } | undefined },
    unknown
  >;
  path: Path;
  /** The ids of those that are in the set. */
  chosen: readonly string[];
  succeeded: string;
  onClose: () => void;
}

interface SetFormProps<Path, Item> extends SetOperationProps<Path> {
  /** All that can be in the set. */
  pages: Pages<Item>;
  words: (item: Item) => { label: string; hint?: ReactNode };
  /** The text by which `pages` are narrowed. */
  search: { text: string; onChange: (text: string) => void; placeholder: string };
  /** As in "members". */
  nouns: string;
}

/**
 * Chooses what is in a set, among all that can be. Only what was added and removed is sent, so that what somebody else changes
 * meanwhile stays.
 */
export function SetForm<Path, Item>(props: SetFormProps<Path, Item>) {
  const { operation, path, pages, words, search, nouns, succeeded, onClose } = props;
  const [before] = useState<ReadonlySet<string>>(() => new Set(props.chosen));
  const [chosen, setChosen] = useState(before);
  const save = useOperation(operation as OperationOf<{ path: Path; body: Changed }, unknown>, {
    failed: `The ${nouns} could not be changed`,
    succeeded,
    undo: ({ body: { add, remove } }) => ({ path, body: { add: remove, remove: add } }),
    quiet: true,
    done: onClose,
  });
  const typed = useTyped();
  const set = (id: string, isIn: boolean) => {
    typed();
    setChosen(new Set(isIn ? [...chosen, id] : without(chosen, new Set([id]))));
  };
  return (
    <Form
      problem={save.problem}
      places={[]}
      onSubmit={() => save.send({ path, body: { add: without(chosen, before), remove: without(before, chosen) } })}
    >
      <TextField
        name="search"
        type="search"
        label={`Search ${nouns}`}
        bare
        first
        placeholder={search.placeholder}
        value={search.text}
        onChange={search.onChange}
      />
      <LoadedPages pages={pages} empty={<p className="px-3 py-4 text-soft text-sm">No results</p>}>
        {(items) => (
          <fieldset className="max-h-[45vh] min-w-0 divide-y divide-line overflow-y-auto rounded-lg border border-soft-line bg-field">
            <legend className="sr-only">{asSentence(nouns)}</legend>
            {items.map((item) => (
              <div key={pages.id(item)} className="px-3 py-2">
                <Checkbox
                  {...words(item)}
                  checked={chosen.has(pages.id(item))}
                  onChange={(isIn) => set(pages.id(item), isIn)}
                />
              </div>
            ))}
          </fieldset>
        )}
      </LoadedPages>
      <SubmitOrCancel onCancel={onClose} busy={save.sending}>
        Save
      </SubmitOrCancel>
    </Form>
  );
}

function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...ids].filter((id) => !others.has(id));
}
