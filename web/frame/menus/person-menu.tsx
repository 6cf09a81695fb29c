import { Avatar } from '../../components/avatar.tsx';
import { useSession } from '../../control-plane/session.ts';
import { MenuWhenAsked, menuWhenAsked } from './menu-when-asked.tsx';

const menu = menuWhenAsked(() => import('./account-menu.tsx').then((loaded) => loaded.AccountMenu));

/** Menu of the signed-in person: account, theme, time zone, sign-out. */
export function PersonMenu() {
  const user = useSession()?.user;
  if (user === undefined) return null;
  return (
    <MenuWhenAsked
      menu={menu}
      label={`You are ${user.name}; account, theme and times`}
      about={undefined}
      look="flex w-full items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-hover data-[popup-open]:bg-hover max-lg:h-11"
    >
      <Avatar name={user.name} />
      <span className="min-w-0 flex-1 truncate">{user.name}</span>
    </MenuWhenAsked>
  );
}
