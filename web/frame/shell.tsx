import { SearchIcon, ThreeBarsIcon } from '@primer/octicons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { mayActAs } from '../../domain/roles.ts';
import { IconButton } from '../components/forms/button.tsx';
import { useMembership } from '../control-plane/session.ts';
import { file } from './page-file.ts';
import { openPalette, usePaletteOpen } from './palette/palette-open.ts';
import { Shortcuts } from './palette/shortcuts.tsx';
import { places } from './places.ts';
import { EntryBadge } from './scopes/entry-badge.tsx';

/** Places that are in sight on narrow screens, too, where the sidebar lies behind a button. */
function TopPlaces() {
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

interface ShellProps {
  sidebar: ReactNode;
  /** Above the page: the breadcrumb. */
  top: ReactNode;
  children: ReactNode;
}

/** The sidebar and beside it the page; on narrow screens the sidebar lies behind a button. */
export function Shell({ sidebar, top, children }: ShellProps) {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState(false);
  const before = useRef(path);
  const openDrawer = () => {
    setAsked(true);
    setOpen(true);
  };
  useEffect(() => {
    if (before.current === path) return;
    const first = before.current === undefined;
    before.current = path;
    setOpen(false);
    if (!first) readFromHeading();
  }, [path]);
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="fixed top-2 left-2 z-60 -translate-y-16 rounded-md bg-raised px-3 py-2 focus:translate-y-0 focus:shadow-raised"
      >
        Skip to the content
      </a>
      {sidebar !== false && (
        <aside className="sticky top-0 h-dvh w-[232px] shrink-0 overflow-y-auto border-line border-r max-lg:hidden">
          {sidebar}
        </aside>
      )}
      <div className="min-w-0 flex-1">
        <header className="z-20 flex h-13 items-center gap-1 border-line border-b bg-ground px-6.5 max-lg:sticky max-lg:top-0 max-lg:px-2">
          {sidebar !== false && (
            <span className="lg:hidden">
              <IconButton label="Menu" aria-haspopup="dialog" aria-expanded={open} onClick={openDrawer}>
                <ThreeBarsIcon />
              </IconButton>
            </span>
          )}
          {top}
          {sidebar !== false && (
            <span className="flex shrink-0 items-center gap-1 lg:hidden">
              <TopPlaces />
              <IconButton label="Search" onClick={openPalette}>
                <SearchIcon />
              </IconButton>
            </span>
          )}
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      {sidebar !== false && (
        <>
          {asked && (
            <Suspense>
              <Drawer open={open} onClose={() => setOpen(false)} focusAfter={heading}>
                {sidebar}
              </Drawer>
            </Suspense>
          )}
          <PaletteWhenOpen />
          <Shortcuts />
        </>
      )}
    </div>
  );
}

/** Navigation moves the focus to the heading, unless the link that was followed is still on the page, as with tabs. */
function readFromHeading(): void {
  const main = document.querySelector<HTMLElement>('main');
  const { activeElement } = document;
  if (activeElement !== main && main?.contains(activeElement)) return;
  heading()?.focus({ preventScroll: true });
}

function heading(): HTMLElement | null {
  return document.querySelector<HTMLElement>('main h1') ?? document.querySelector('main');
}

/** Loaded lazily: most visits never open these. */
const Drawer = lazy(() => file(() => import('./drawer.tsx')).then((loaded) => ({ default: loaded.Drawer })));
const Palette = lazy(() => file(() => import('./palette/palette.tsx')).then((loaded) => ({ default: loaded.Palette })));

function PaletteWhenOpen() {
  const open = usePaletteOpen();
  return (
    open && (
      <Suspense>
        <Palette />
      </Suspense>
    )
  );
}
