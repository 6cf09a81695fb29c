import { ChevronDownIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../components/page-title.ts';
import { classes } from '../../components/style.ts';
import { MenuWhenAsked, menuWhenAsked } from '../menus/menu-when-asked.tsx';
import type { Params } from './entry.ts';
import { crumbsOf, entryOf, linkTo, parameterOf, type Scope, useWhere } from './scope.ts';

/** The way to the page. The crumb of a scope switches to another one of its kind. */
export function Breadcrumb() {
  const { path, params } = useWhere();
  const title = usePageTitle();
  const crumbs = crumbsOf(path);
  const last = crumbs.at(-1);
  // The title names what no place and no scope stands for: one workflow, one instance.
  const ends =
    last === undefined ||
    ('scope' in last ? last.scope.path !== path && !entryOf(last.scope, path) : last.place.to !== path);
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center text-base">
        {crumbs.map((crumb, index) =>
          'scope' in crumb ? (
            <ScopeCrumb
              key={crumb.scope.path}
              scope={crumb.scope}
              params={params}
              path={path}
              first={index === 0}
              current={!ends && crumb === last}
              yields={yieldsOf(crumbs.length - index - (ends ? 0 : 1))}
            />
          ) : (
            <Part key={crumb.place.to} first={index === 0} small={!ends && crumb !== last}>
              <Link
                to={crumb.place.to}
                params={params as never}
                activeOptions={{ exact: true, includeSearch: false }}
                className={classes(look, 'hover:text-text aria-[current=page]:text-text')}
              >
                <span className="truncate">{crumb.place.label}</span>
              </Link>
            </Part>
          ),
        )}
        {ends && title !== undefined && (
          <Part yields={yieldsOf(0)}>
            <span aria-current="page" className={classes(look, 'text-text')}>
              <span className="truncate">{title}</span>
            </span>
          </Part>
        )}
      </ol>
    </nav>
  );
}

export const look = 'flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-soft max-lg:h-11';

/** On phones the end gives way first, which the title repeats, then what is further out: a service says its environment. */
function yieldsOf(beforeEnd: number): string {
  if (beforeEnd === 0) return 'max-sm:min-w-8 max-sm:shrink-[9999]';
  return beforeEnd === 1 ? 'max-sm:max-w-[55%] max-sm:shrink-0' : 'max-sm:min-w-8 max-sm:shrink-[99]';
}

interface PartProps {
  first?: boolean;
  small?: boolean;
  /** Classes by which it gives way. */
  yields?: string;
  children: ReactNode;
}

function Part({ first = false, small = false, yields = '', children }: PartProps) {
  return (
    <li className={classes('flex min-w-0 items-center', first ? 'shrink-0' : yields, small && 'max-md:hidden')}>
      {!first && (
        <span aria-hidden="true" className="shrink-0 px-0.5 text-faint">
          /
        </span>
      )}
      {children}
    </li>
  );
}

interface ScopeCrumbProps {
  scope: Scope;
  params: Params;
  path: string;
  first: boolean;
  current: boolean;
  yields: string;
}

function ScopeCrumb({ scope, params, path, first, current, yields }: ScopeCrumbProps) {
  const name = scope.useName(params);
  const mark = scope.useMark?.(params);
  const title = usePageTitle();
  // Text of the page, where there is no such thing: "Not found".
  if (name === null) return current && title !== undefined ? <Part>{plain(title)}</Part> : null;
  if (name === undefined) return <Part first={first}>{plain('…')}</Part>;
  const content = (
    <>
      {mark}
      <span className={classes('truncate', current || first ? 'text-text' : undefined, first && 'max-md:sr-only')}>
        {name}
      </span>
    </>
  );
  return (
    <Part first={first} yields={yields}>
      {scope.useSiblings === undefined ? (
        <Link
          {...linkTo(scope, params[parameterOf(scope)] ?? '', params, scope.path)}
          className={classes(look, 'hover:text-text')}
        >
          {content}
        </Link>
      ) : (
        <CrumbButton scope={scope} params={params} path={path} label={`${scope.noun} ${name}; switch`}>
          {content}
        </CrumbButton>
      )}
    </Part>
  );
}

function plain(text: string): ReactNode {
  return (
    <span className={look}>
      <span className="truncate">{text}</span>
    </span>
  );
}

const menu = menuWhenAsked(() => import('./switch-menu.tsx').then((loaded) => loaded.SwitchMenu));

interface CrumbButtonProps {
  scope: Scope;
  params: Params;
  path: string;
  label: string;
  children: ReactNode;
}

/** A crumb that offers others of its kind; the menu and what it lists are loaded when somebody asks. */
function CrumbButton({ scope, params, path, label, children }: CrumbButtonProps) {
  return (
    <MenuWhenAsked
      menu={menu}
      label={label}
      about={{ scope, params, path }}
      look="flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-soft hover:bg-hover hover:text-text data-[popup-open]:bg-hover max-lg:h-11"
    >
      {children}
      {/* On phones it would take the room of the names. */}
      <ChevronDownIcon size={14} className="shrink-0 text-faint max-sm:hidden" />
    </MenuWhenAsked>
  );
}
