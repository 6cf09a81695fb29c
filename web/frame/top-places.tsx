import { Link } from '@tanstack/react-router';
import { mayActAs } from '../../domain/roles.ts';
import { useMembership } from '../control-plane/session.ts';
import { places } from './places.ts';
import { EntryBadge } from './scopes/entry-badge.tsx';

/** Places that are in sight on narrow screens, too, where the sidebar lies behind a button. */
export function TopPlaces() {
  const { slug: organization, role } = useMembership();
  return places
    .filter((place) => place.besideSearch && mayActAs(role, place.role))
    .map(({ to, label, icon, useBadge }) => (
      <Link
        key={to}
        to={to}
        params={{ organization }}
        className="inline-flex h-8 min-w-8 shrink-0 items-center justify-center gap-1 rounded-md px-1.5 text-soft hover:bg-hover hover:text-text max-sm:h-10 max-sm:min-w-10"
      >
        <span aria-hidden="true">{icon}</span>
        <span className="sr-only">{label}</span>
        {useBadge !== undefined && <EntryBadge useBadge={useBadge} params={{ organization }} />}
      </Link>
    ));
}
