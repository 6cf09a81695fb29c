import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { useLate } from '../../control-plane/late.ts';
import { problemOf } from '../../control-plane/problem.ts';
import { useMembership } from '../../control-plane/session.ts';
import { type Command, useCommands } from './commands.tsx';
import { closePalette } from './palette-open.ts';
import { useFound } from './use-found.tsx';

/** Finds what the page offers, pages, common actions and things of the organization by a few letters of a name, or by an id. */
export function Palette() {
  return (
    <Dialog.Root open onOpenChange={closePalette}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[light-dark(rgb(20_20_24/25%),rgb(0_0_0/55%))]" />
        <Dialog.Popup
          aria-label="Search everything"
          className="fixed top-[14vh] left-1/2 z-50 w-[560px] max-w-[calc(100vw-1.5rem)] -translate-x-1/2 overflow-hidden rounded-xl bg-raised shadow-raised outline-none"
        >
          <Commands />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Said where the answer of the API is missing: pages and actions are found without it. */
function Waiting({ waits, error, retry }: { waits: boolean; error: unknown; retry: () => void }) {
  const slow = useLate(waits ? 'slow' : '') !== '' && waits;
  if (error === null && !slow) return null;
  return (
    <div role="status" className="flex items-center gap-3 border-line border-b px-4 py-2 text-soft text-sm">
      {error === null ? (
        'Searching…'
      ) : (
        <>
          <span className="min-w-0 flex-1 text-pretty">
            Only pages and actions are searched. {problemOf(error).detail}
          </span>
          <Button look="quiet" small onClick={retry}>
            Try again
          </Button>
        </>
      )}
    </div>
  );
}

function Commands() {
  const [text, setText] = useState('');
  const commands = useCommands();
  const { groups: things, waits, error, retry } = useFound(text);
  const { name } = useMembership();
  // Before anything is typed, where this person was comes first.
  const groups = text.trim() === '' ? [...things, ...commands] : [...commands, ...things];
  return (
    <Autocomplete.Root
      inline
      open
      items={groups}
      value={text}
      onValueChange={setText}
      itemToStringValue={(command: Command) => `${command.label} ${command.also ?? ''}`}
      autoHighlight="always"
      keepHighlight
    >
      <Autocomplete.Input
        aria-label="Search everything"
        placeholder="Search everything…"
        className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-faint"
      />
      <Autocomplete.Empty>
        {!waits && error === null && (
          <p className="break-words px-4 py-8 text-center text-soft empty:hidden">
            No page, no action and nothing in {name} matches “{text.trim()}”.
          </p>
        )}
      </Autocomplete.Empty>
      <Waiting waits={waits} error={error} retry={retry} />
      <Autocomplete.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-1.5 empty:hidden">
        {(group: { label: string; items: Command[] }) => (
          <Autocomplete.Group key={group.label} items={group.items} className="pb-1.5">
            <Autocomplete.GroupLabel className="px-2.5 py-1.5 font-medium text-faint text-xs">
              {group.label}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.id}
                  value={command}
                  onClick={() => {
                    closePalette();
                    command.run();
                  }}
                  className="flex h-9 cursor-pointer select-none items-center gap-2.5 rounded-md px-2.5 outline-none data-[highlighted]:chosen max-sm:h-11"
                >
                  <span aria-hidden="true" className="flex w-4 justify-center text-faint">
                    {command.icon}
                  </span>
                  <span className="min-w-0 flex-1 truncate">
                    {command.label}
                    {command.detail !== undefined && command.detail !== '' && (
                      <span className="ml-2 text-soft text-sm">{command.detail}</span>
                    )}
                  </span>
                  {command.status}
                  {command.keys !== undefined && (
                    <kbd className="font-sans text-faint text-xs max-lg:hidden">{command.keys}</kbd>
                  )}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
