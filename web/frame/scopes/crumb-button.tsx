import { ChevronDownIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { MenuWhenAsked, menuWhenAsked } from '../menus/menu-when-asked.tsx';
import type { Params } from './entry.ts';
import type { Scope } from './scope.ts';

const menu = menuWhenAsked(() => import('./switch-menu.tsx').then((loaded) => loaded.SwitchMenu));

interface CrumbButtonProps {
  scope: Scope;
  params: Params;
  path: string;
  label: string;
  children: ReactNode;
}

/** A crumb that offers others of its kind; the menu and what it lists are loaded when somebody asks. */
export function CrumbButton({ scope, params, path, label, children }: CrumbButtonProps) {
  return (
    <MenuWhenAsked
      menu={menu}
      label={label}
      about={{ scope, params, path }}
      look="flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-soft hover:bg-hover hover:text-text data-[popup-open]:bg-hover max-lg:h-11"
    >
      {children}
      {/* On phones it would take the room of the names. */}
      <ChevronDownIcon size={14} className="shrink-0 text-faint max-sm:hidden" />
    </MenuWhenAsked>
  );
}
