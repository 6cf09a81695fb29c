import {
  ListUnorderedIcon,
  MoonIcon,
  OrganizationIcon,
  PersonIcon,
  PlayIcon,
  PlusIcon,
  SignOutIcon,
  SunIcon,
} from '@primer/octicons-react';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { mayActAs } from '../../../domain/roles.ts';
import { offersHere } from '../../components/actions/offered.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';
import { placeGuide } from '../../pages/home/first-steps/guide-place.ts';
import { useSignOut } from '../menus/sign-out.ts';
import { places } from '../places.ts';
import { chooseTheme } from '../theme.ts';

export interface Command {
  id: string;
  label: string;
  /** Beside its label. */
  detail?: string;
  /** At its end. */
  status?: ReactNode;
  /** Other words by which it is found. */
  also?: string | undefined;
  icon: ReactNode;
  keys?: string;
  run: () => void;
}

/** Commands that the palette offers to this role in this organization. */
export function useCommands(): { label: string; items: Command[] }[] {
  const { id, slug: organization, role } = useMembership();
  const organizations = useSession()?.organizations ?? [];
  const navigate = useNavigate();
  const signOut = useSignOut();
  const may = (needed: typeof role) => mayActAs(role, needed);
  const params = { organization };
  // The page stays as it is behind the palette.
  const [here] = useState(() =>
    offersHere().map(({ label, run }): Command => ({ id: `here: ${label}`, label, icon: <PlayIcon />, run })),
  );

  const pages = places
    .filter((place) => may(place.role))
    .map(({ label, to, icon, key, also }) => ({
      id: to,
      label,
      also,
      icon,
      keys: `g ${key}`,
      run: () => void navigate({ to, params }),
    }));
  const account: Command = {
    id: 'account',
    label: 'Your account',
    also: 'sessions second factor password',
    icon: <PersonIcon />,
    run: () => void navigate({ to: '/account' }),
  };
  const made = (id: string, label: string, link: LinkProps, also?: string): Command => ({
    ...{ id, label, also, icon: <PlusIcon />, run: () => void navigate(link) },
  });
  const forAdmins = [
    made(
      'invite',
      'Invite somebody',
      { to: '/$organization/members', params, search: { invite: true } },
      'member people',
    ),
    made(
      'add-cluster',
      'Add a cluster',
      { to: '/$organization/clusters', params, search: { add: true } },
      'machine agent',
    ),
    made(
      'new-token',
      'Create an API token',
      { to: '/$organization/tokens', params, search: { make: true } },
      'key secret',
    ),
    made('new-team', 'Create a team', { to: '/$organization/teams', params, search: { make: true } }),
  ];
  const actions: Command[] = [
    ...(may('admin') ? forAdmins : []),
    {
      id: 'first-steps',
      label: 'Show the first steps',
      also: 'guide help begin',
      icon: <ListUnorderedIcon />,
      run: () => {
        placeGuide(id, 'shown');
        void navigate({ to: '/$organization', params });
      },
    },
    made('new-organization', 'Create an organization', { to: '/new-organization' }),
    { id: 'light', label: 'Light theme', icon: <SunIcon />, run: () => chooseTheme('light') },
    { id: 'dark', label: 'Dark theme', icon: <MoonIcon />, run: () => chooseTheme('dark') },
    { id: 'system', label: 'System theme', icon: <SunIcon />, run: () => chooseTheme('system') },
    {
      id: 'sign-out',
      label: 'Sign out',
      also: 'log out leave',
      icon: <SignOutIcon />,
      run: () => signOut.send(undefined),
    },
  ];
  const others = organizations
    .filter(({ slug }) => slug !== organization)
    .map(({ slug, name }) => ({
      id: slug,
      label: name,
      also: 'organization switch',
      icon: <OrganizationIcon />,
      run: () => void navigate({ to: '/$organization', params: { organization: slug } }),
    }));
  return [
    { label: 'On this page', items: here },
    { label: 'Pages', items: [...pages, account] },
    { label: 'Actions', items: actions },
    { label: 'Organizations', items: others },
  ].filter(({ items }) => items.length > 0);
}
