import { Autocomplete } from '@base-ui/react/autocomplete';
import { Popover } from '@base-ui/react/popover';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../components/dialogs/menu.tsx';
import { classes } from '../../components/style.ts';
import type { Params } from './entry.ts';
import { linkTo, parameterOf, type Scope, type Sibling, type Siblings } from './scope.ts';
import { siblingLine } from './sibling-line.tsx';

/** A list that is longer is filtered by a few letters. */
const mostWithoutFilter = 8;

interface SwitchMenuProps {
  label: string;
  trigger: ReactElement;
  about: { scope: Scope; params: Params; path: string };
}

/** Others of the same kind, and the way to new ones. */
export function SwitchMenu({ label, trigger, about: { scope, params, path } }: SwitchMenuProps) {
  const { items, ways = [] } = scope.useSiblings?.(params) ?? { items: [] };
  const navigate = useNavigate();
  const go = (value: string) => void navigate(linkTo(scope, value, params, path));
  const value = params[parameterOf(scope)] ?? '';
  if (items !== undefined && items.length > mostWithoutFilter) {
    return <FilteredSwitch {...{ label, trigger, scope, items, ways, value }} onChoose={go} />;
  }
  return (
    <Menu label={label} align="start" trigger={trigger} openAtOnce>
      {items === undefined ? (
        <p className="px-2.5 py-1.5 text-soft text-sm">Loading…</p>
      ) : (
        <MenuChoices
          label={scope.nouns}
          value={value}
          onChange={go}
          choices={items.map((item) => ({ value: item.value, label: siblingLine(item) }))}
        />
      )}
      {ways.length > 0 && <MenuSeparator />}
      {ways.map(({ label: way, icon, link }) => (
        <MenuItem key={way} icon={icon} onSelect={() => void navigate(link)}>
          {way}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface FilteredSwitchProps {
  label: string;
  trigger: ReactElement;
  scope: Scope;
  items: readonly Sibling[];
  ways: NonNullable<Siblings['ways']>;
  value: string;
  onChoose: (value: string) => void;
}

/** The same for many: found by a few letters. */
function FilteredSwitch({ label, trigger, scope, items, ways, value, onChoose }: FilteredSwitchProps) {
  const [open, setOpen] = useState(true);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={trigger} aria-label={label} />
      <Popover.Portal>
        <Popover.Positioner align="start" sideOffset={4} className="z-50 outline-none">
          <Popover.Popup
            aria-label={scope.nouns}
            className="w-72 max-w-[calc(100vw-1.5rem)] overflow-hidden rounded-lg bg-raised shadow-raised outline-none"
          >
            <Autocomplete.Root
              inline
              open
              items={items}
              itemToStringValue={(item: Sibling) => item.label}
              autoHighlight="always"
              keepHighlight
            >
              <Autocomplete.Input
                aria-label={`Find in ${scope.nouns.toLowerCase()}`}
                placeholder="Find…"
                className="h-10 w-full border-line border-b bg-transparent px-3 text-base outline-none placeholder:text-faint max-sm:text-[16px]"
              />
              <Autocomplete.Empty>
                <p className="px-3 py-6 text-center text-soft text-sm empty:hidden">No results.</p>
              </Autocomplete.Empty>
              <Autocomplete.List className="max-h-72 overflow-y-auto p-1 empty:hidden">
                {(item: Sibling) => (
                  <Autocomplete.Item
                    key={item.value}
                    value={item}
                    onClick={() => {
                      setOpen(false);
                      onChoose(item.value);
                    }}
                    className="cursor-pointer select-none rounded-md px-2.5 py-1.5 text-sm outline-none data-[highlighted]:chosen max-sm:py-2.5"
                  >
                    <span className={classes(item.value === value && 'font-medium')}>{siblingLine(item)}</span>
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Root>
            {ways.length > 0 && (
              <ul className="border-line border-t p-1">
                {ways.map(({ label: way, icon, link }) => (
                  <li key={way}>
                    <Link
                      {...link}
                      onClick={() => setOpen(false)}
                      className="flex items-center gap-2 rounded-md px-2.5 py-1.5 text-sm hover:bg-hover max-sm:py-2.5"
                    >
                      {icon !== undefined && <span className="text-faint">{icon}</span>}
                      {way}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
