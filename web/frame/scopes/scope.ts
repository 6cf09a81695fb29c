import { type LinkProps, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type NavigationEntry, places } from '../places.ts';
import type { Entry, Params } from './entry.ts';

/** Something else of the same kind, to switch to. */
export interface Sibling {
  /** As the address names it. */
  value: string;
  label: string;
  lead?: ReactNode;
  detail?: string | undefined;
}

export interface Siblings {
  /** Undefined while they load. */
  items: readonly Sibling[] | undefined;
  /** Where other ones are created or found. */
  ways?: readonly { label: string; icon?: ReactNode; link: LinkProps }[];
}

/** Something that pages belong to: an organization, a cluster; subjects register theirs in `index.tsx`. */
export interface Scope {
  /** Its address as the router has it: all pages beneath it are its own. The last part is its parameter. */
  path: string;
  /** The kind of thing, in lower case and in plural. */
  noun: string;
  nouns: string;
  /** Its name: undefined while it loads, null if there is no such thing. */
  useName: (params: Params) => string | null | undefined;
  useMark?: (params: Params) => ReactNode;
  /** Asked when the menu of its crumb opens. */
  useSiblings?: (params: Params) => Siblings;
  navigation?: readonly Entry[];
}

/** For `useName`: the name in the answer of a query. */
export function nameOf<Data>(
  { data, isError }: { data: Data; isError: boolean },
  name: (data: NonNullable<Data>) => string,
): string | null | undefined {
  if (data !== undefined && data !== null) return name(data);
  return isError ? null : undefined;
}

const known: Scope[] = [];

/** Answers how to forget it. */
export function registerScope(scope: Scope): () => void {
  known.push(scope);
  return () => known.splice(known.indexOf(scope), 1);
}

/** The path of a route without the slash of an index. */
function plainPath(path: string): string {
  return path.replace(/\/+$/, '');
}

export function within(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

export type Crumb = { scope: Scope } | { place: NavigationEntry };

/** The way to a page: scopes and places that its path leads through, the outermost first. */
export function crumbsOf(path: string): Crumb[] {
  const scopes = known.filter((scope) => within(path, scope.path));
  const passed = places.filter(({ to }) => within(path, to) && !scopes.some((scope) => scope.path === to));
  const crumbs: Crumb[] = [...scopes.map((scope) => ({ scope })), ...passed.map((place) => ({ place }))];
  return crumbs.toSorted((one, other) => pathOf(one).length - pathOf(other).length);
}

function pathOf(crumb: Crumb): string {
  return 'scope' in crumb ? crumb.scope.path : crumb.place.to;
}

/** The innermost scope that has a navigation. */
export function navigatedScope(path: string): Scope | undefined {
  return known
    .filter((scope) => scope.navigation !== undefined && within(path, scope.path))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** The page of the navigation that a path belongs to. */
export function entryOf({ path: start, navigation = [] }: Scope, path: string): Entry | undefined {
  return navigation
    .filter(({ to }) => (to === start ? path === start : within(path, to)))
    .toSorted((one, other) => other.to.length - one.to.length)[0];
}

/** The name of the parameter that tells one from its siblings. */
export function parameterOf({ path }: Scope): string {
  return /\$(\w+)$/.exec(path)?.[1] ?? '';
}

/** Where switching leads: to the same page of its navigation, if the page that is shown belongs to that. */
export function linkTo(scope: Scope, value: string, params: Params, path: string): LinkProps {
  const to = entryOf(scope, path)?.to ?? scope.path;
  return { to, params: { ...params, [parameterOf(scope)]: value } } as LinkProps;
}

/** Path and parameters of the page that is shown, as the router has them. */
export function useWhere(): { path: string; params: Params } {
  const path = useRouterState({ select: ({ matches }) => plainPath(matches.at(-1)?.fullPath ?? '') });
  const params = useRouterState({
    select: ({ matches }): Params => ({ ...matches.at(-1)?.params }),
    structuralSharing: true,
  });
  return { path, params };
}
