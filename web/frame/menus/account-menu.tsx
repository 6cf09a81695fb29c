import { BookIcon, PersonIcon, SignOutIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../components/dialogs/menu.tsx';
import { chooseZone, localZone, useZoneChoice } from '../../components/times/zone.ts';
import { useSession } from '../../control-plane/session.ts';
import { chooseTheme, type Theme, useTheme } from '../theme.ts';
import { useSignOut } from './sign-out.ts';

export function AccountMenu({ label, trigger }: { label: string; trigger: ReactElement }) {
  const user = useSession()?.user;
  const theme = useTheme();
  const zone = useZoneChoice();
  const local = localZone();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu label={label} align="start" trigger={trigger} openAtOnce>
      <p className="max-w-64 truncate px-2.5 pt-1 pb-1.5 text-faint text-xs">{user?.email}</p>
      <MenuItem icon={<PersonIcon />} onSelect={() => void navigate({ to: '/account' })}>
        Your account
      </MenuItem>
      <MenuItem icon={<BookIcon />} onSelect={() => location.assign('/docs')}>
        API reference
      </MenuItem>
      <MenuSeparator />
      <MenuChoices
        label="Theme"
        value={theme}
        onChange={(chosen) => chooseTheme(chosen as Theme)}
        choices={[
          { value: 'system', label: 'System' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
      />
      {local !== 'UTC' && (
        <>
          <MenuSeparator />
          <MenuChoices
            label="Times"
            value={zone}
            onChange={chooseZone}
            choices={[
              { value: 'local', label: local.replaceAll('_', ' ') },
              { value: 'utc', label: 'UTC' },
            ]}
          />
        </>
      )}
      <MenuSeparator />
      <MenuItem icon={<SignOutIcon />} onSelect={() => signOut.send(undefined)}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
