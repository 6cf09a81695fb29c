import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../components/dialogs/menu.tsx';
import type { Params } from './entry.ts';
import { FilteredSwitch } from './filtered-switch.tsx';
import { linkTo, parameterOf, type Scope } from './scope.ts';
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
