import { ChevronDownIcon } from '@primer/octicons-react';
import { OrganizationMark } from '../../components/avatar.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { MenuWhenAsked, menuWhenAsked } from './menu-when-asked.tsx';

const menu = menuWhenAsked(() => import('./organization-menu.tsx').then((loaded) => loaded.OrganizationMenu));

export function OrganizationSwitch() {
  const { name } = useMembership();
  return (
    <MenuWhenAsked menu={menu} label={`Organization ${name}; switch`}>
      <OrganizationMark name={name} />
      <span className="min-w-0 flex-1 truncate font-semibold">{name}</span>
      <ChevronDownIcon size={14} className="text-faint" />
    </MenuWhenAsked>
  );
}
