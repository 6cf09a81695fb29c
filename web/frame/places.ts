import { type RegisteredRouter, useRouterState } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import type { Role } from '../../domain/roles.ts';
import type { Entry } from './scopes/entry.ts';

/** Addresses that name an organization and nothing in it. */
type OrganizationPath = Exclude<
  Extract<keyof RegisteredRouter['routesByPath'], `/$organization${string}`>,
  `/$organization/${string}$${string}` | `${string}/`
>;

/** A page that the sidebar, the palette and the shortcuts lead to. */
export interface NavigationEntry extends Entry {
  to: OrganizationPath;
  icon: ReactNode;
  /** Pressed after `g`. */
  key: string;
  /** The least role that it is shown to: everybody, unless it is another one. */
  role?: Role;
  group?: 'work' | 'organization';
  /** Other words by which it is looked for. */
  also?: string;
  /** In sight on narrow screens, too: beside Search, above the page. */
  besideSearch?: true;
  /** At work beside every page of the organization, without a place on the screen. */
  along?: ComponentType;
}

type KnownPlace = NavigationEntry & Required<Pick<NavigationEntry, 'role' | 'group' | 'also'>>;
const known: KnownPlace[] = [];

/** In the order of the subjects, which register them (web/subjects.ts). */
export const places: readonly KnownPlace[] = known;

export function registerPlace(place: NavigationEntry): void {
  known.push({ role: 'viewer', group: 'organization', also: '', ...place });
}

/** The place that a page belongs to, by its path in the router. */
export function placeOf(path: string): KnownPlace | undefined {
  return places
    .filter(({ to }) => path === to || path.startsWith(`${to}/`))
    .toSorted((one, other) => other.to.length - one.to.length)[0];
}

/** The place of the page that is shown. */
export function usePlace(): NavigationEntry {
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? '' });
  const place = placeOf(path);
  if (place === undefined) throw new Error(`No place is registered for ${path}.`);
  return place;
}
