import { PlusIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { OrganizationMark } from '../../components/avatar.tsx';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../components/dialogs/menu.tsx';
import { useMembership, useSession } from '../../control-plane/session.ts';

export function OrganizationMenu({ label, trigger }: { label: string; trigger: ReactElement }) {
  const current = useMembership();
  const organizations = useSession()?.organizations ?? [];
  const navigate = useNavigate();
  return (
    <Menu label={label} align="start" trigger={trigger} openAtOnce>
      <MenuChoices
        label="Organizations"
        value={current.slug}
        onChange={(organization) => void navigate({ to: '/$organization', params: { organization } })}
        choices={organizations.map(({ slug, name, role }) => ({
          value: slug,
          label: (
            <span className="flex items-center gap-2">
              <OrganizationMark name={name} />
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <span className="text-faint text-xs">{role}</span>
            </span>
          ),
        }))}
      />
      <MenuSeparator />
      <MenuItem icon={<PlusIcon />} onSelect={() => void navigate({ to: '/new-organization' })}>
        New organization
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: '/deleted-organizations' })}>Deleted organizations</MenuItem>
    </Menu>
  );
}
