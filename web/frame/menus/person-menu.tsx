import { Avatar } from '../../components/avatar.tsx';
import { useSession } from '../../control-plane/session.ts';
import { MenuWhenAsked, menuWhenAsked } from './menu-when-asked.tsx';

const menu = menuWhenAsked(() => import('./account-menu.tsx').then((loaded) => loaded.AccountMenu));

/** Menu of the signed-in person: account, theme, sign-out. */
export function PersonMenu() {
  const user = useSession()?.user;
  if (user === undefined) return null;
  return (
    <MenuWhenAsked menu={menu} label={`You are ${user.name}; account and theme`}>
      <Avatar name={user.name} />
      <span className="min-w-0 flex-1 truncate">{user.name}</span>
    </MenuWhenAsked>
  );
}
