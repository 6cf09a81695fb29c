import { SearchIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { mayActAs } from '../../domain/roles.ts';
import { isMac } from '../components/browser/is-mac.ts';
import { useMembership } from '../control-plane/session.ts';
import { PersonMenu } from './menus/person-menu.tsx';
import { openPalette } from './palette/palette-open.ts';
import { places } from './places.ts';
import { EntryBadge } from './scopes/entry-badge.tsx';
import { ZoneName } from './zone-name.tsx';

export function Sidebar() {
  const { slug, role } = useMembership();
  const shown = places.filter((place) => mayActAs(role, place.role));
  return (
    <div className="flex min-h-full flex-col gap-4 p-3">
      <Link
        to="/$organization"
        params={{ organization: slug }}
        className="flex h-8 items-center gap-2 rounded-md px-1.5 font-semibold max-lg:h-11"
      >
        <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5 text-strong">
          <rect width="20" height="20" rx="5" fill="currentColor" />
          <path d="M5 5h10v5a5 5 0 0 1-10 0z" fill="none" className="stroke-on-strong" strokeWidth="1.5" />
          <path d="M5 10h10a5 5 0 0 1-10 0z" className="fill-on-strong" />
        </svg>
        Ballast
      </Link>
      <button
        type="button"
        data-leaves
        onClick={openPalette}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-card px-2.5 text-faint text-sm shadow-card hover:text-text max-lg:h-10"
      >
        <SearchIcon size={14} />
        <span className="flex-1 text-left">Search</span>
        <kbd className="font-sans text-xs max-lg:hidden">{isMac ? '⌘' : 'Ctrl '}K</kbd>
      </button>
      <nav aria-label="Main" className="flex flex-1 flex-col gap-5">
        {(['work', 'organization'] as const).map((group) => (
          <div key={group}>
            {group === 'organization' && <p className="px-2.5 pb-1 font-medium text-faint text-xs">Organization</p>}
            <ul className="flex flex-col gap-px">
              {shown
                .filter((place) => place.group === group)
                .map((place) => (
                  <li key={place.to}>
                    <Link
                      to={place.to}
                      params={{ organization: slug }}
                      activeOptions={{ exact: place.to === '/$organization', includeSearch: false }}
                      className="group flex h-8 items-center gap-2.5 rounded-md px-2.5 text-soft hover:bg-hover hover:text-text aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-text max-lg:h-11"
                    >
                      <span aria-hidden="true" className="text-faint group-aria-[current=page]:text-text">
                        {place.icon}
                      </span>
                      <span className="flex-1">{place.label}</span>
                      {place.useBadge !== undefined && (
                        <EntryBadge useBadge={place.useBadge} params={{ organization: slug }} />
                      )}
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="flex flex-col gap-2">
        <ZoneName />
        <PersonMenu />
      </div>
    </div>
  );
}
