import { Link } from '@tanstack/react-router';
import type { Entry, Params } from './entry.ts';
import { EntryBadge } from './entry-badge.tsx';
import { entryOf, navigatedScope, type Scope } from './scope.ts';
import { useWhere } from './where.ts';

/** The pages of the innermost scope that has a navigation of its own, above the page. */
export function ScopeNavigation() {
  const { path, params } = useWhere();
  const scope = navigatedScope(path);
  return scope && <Pages key={scope.path} scope={scope} params={params} path={path} />;
}

function Pages({ scope, params, path }: { scope: Scope; params: Params; path: string }) {
  const name = scope.useName(params);
  if (name === null) return null;
  const shown = entryOf(scope, path);
  return (
    <nav
      aria-label={name === undefined ? scope.noun : `${scope.noun} ${name}`}
      className="flex gap-5 overflow-x-auto border-line border-b px-8 max-sm:px-4"
    >
      {scope.navigation?.map((entry) => (
        <EntryLink key={entry.to} entry={entry} params={params} shown={entry === shown} />
      ))}
    </nav>
  );
}

function EntryLink({ entry, params, shown }: { entry: Entry; params: Params; shown: boolean }) {
  return (
    <Link
      to={entry.to}
      params={params as never}
      // A page beneath marks it, too; the address alone would mark the first page on all others.
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={shown ? 'page' : undefined}
      className="-mb-px flex h-10 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 text-base text-soft hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text max-lg:h-11"
    >
      {entry.label}
      {entry.useBadge !== undefined && <EntryBadge useBadge={entry.useBadge} params={params} />}
    </Link>
  );
}
