import type { RegisteredRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Role } from '../../domain/roles.ts';
import type { Entry } from './scopes/entry.ts';

/** Addresses that name an organization and nothing in it. */
type OrganizationPath = Exclude<
  Extract<keyof RegisteredRouter['routesByPath'], `/$organization${string}`>,
  `/$organization/${string}$${string}` | `${string}/`
>;

/** A page that the sidebar, the palette and the shortcuts lead to. */
export interface Place extends Entry {
  to: OrganizationPath;
  icon: ReactNode;
  /** Pressed after `g`. */
  key: string;
  role: Role;
  group: 'work' | 'organization';
  /** Other words by which it is looked for. */
  also: string;
}

const known: Place[] = [];

/** In the order of the subjects, which register them (web/subjects.ts). */
export const places: readonly Place[] = known;

export function registerPlace(place: Place): void {
  known.push(place);
}

/** The place that a page belongs to, by its path in the router. */
export function placeOf(path: string): Place | undefined {
  return places
    .filter(({ to }) => path === to || path.startsWith(`${to}/`))
    .toSorted((one, other) => other.to.length - one.to.length)[0];
}
