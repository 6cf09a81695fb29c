import { XIcon } from '@primer/octicons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from './forms/button.tsx';
import { useAsPageTitle } from './page-title.ts';
import { classes } from './style.ts';
import { withTimes } from './times/with-times.tsx';

interface PageProps {
  /** The heading, the end of the breadcrumb and, with `Ballast` behind it, the title of the browser's tab. */
  title: string;
  /** One sentence about the purpose of the page. */
  about?: ReactNode;
  /** Beside the heading: how it is. */
  status?: ReactNode;
  actions?: ReactNode;
  /** `Tabs` between parts of the page that are no pages of their own. */
  tabs?: ReactNode;
  /** `wide` for tables, logs and canvases, which use all the room there is. */
  width?: 'normal' | 'wide' | undefined;
  /** Beside the content on wide screens, beneath it on narrow ones. The caller keeps in the address that it is open. */
  panel?: PanelProps | undefined;
  children: ReactNode;
}

/** The frame of every page: heading, actions, and sections below each other. */
export function Page({ title, about, status, actions, tabs, width = 'normal', panel, children }: PageProps) {
  useAsPageTitle(title);
  return (
    <div
      className={classes(
        'mx-auto flex w-full flex-col gap-6 px-8 pt-8 pb-24 max-sm:px-4 max-sm:pt-5',
        width === 'wide' || panel !== undefined ? 'max-w-[1680px]' : 'max-w-[1080px]',
      )}
    >
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 tabIndex={-1} className="min-w-0 break-words font-semibold text-xl tracking-[-0.015em]">
              {title}
            </h1>
            {status}
          </div>
          {about !== undefined && <p className="mt-1 max-w-2xl text-pretty text-soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {tabs}
      {panel === undefined ? children : <WithPanel panel={panel}>{children}</WithPanel>}
    </div>
  );
}

/** A part of a page with a panel beside it on wide screens, and beneath it on narrow ones. */
export function WithPanel({ panel, children }: { panel?: PanelProps | undefined; children: ReactNode }) {
  // The content stays the same element when a panel opens beside it.
  return (
    <div className={classes('grid items-start gap-6', panel !== undefined && 'xl:grid-cols-[minmax(0,1fr)_26rem]')}>
      <div className="flex min-w-0 flex-col gap-6">{children}</div>
      {panel !== undefined && <Panel {...panel} />}
    </div>
  );
}

interface PanelProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** One thing of the page, beside the others. */
function Panel({ title, onClose, children }: PanelProps) {
  const place = useRef<HTMLElement>(null);
  // Beneath the content, a panel that somebody opens would be out of sight.
  useEffect(() => {
    // Newer browsers answer a promise, which is no way to take an effect back.
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section
      ref={place}
      aria-label={title}
      className="min-w-0 scroll-mt-16 overflow-hidden rounded-xl border border-line bg-card shadow-card xl:sticky xl:top-6 xl:max-h-[calc(100dvh-3rem)] xl:overflow-y-auto"
    >
      <div className="flex items-center justify-between gap-3 border-line border-b py-2 pr-2 pl-4">
        <h2 className="min-w-0 break-words font-semibold text-base">{title}</h2>
        <IconButton label={`Close ${title}`} onClick={onClose}>
          <XIcon />
        </IconButton>
      </div>
      {children}
    </section>
  );
}

/** A part of a page with a heading of its own, in a card. */
export function Section({
  title,
  about,
  actions,
  children,
  bare = false,
}: {
  title?: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Omits the card around the content. */
  bare?: boolean;
}) {
  const content = bare ? children : <Card>{children}</Card>;
  if (title === undefined) return <section>{content}</section>;
  return (
    <section className="flex flex-col gap-2.5">
      <div
        className={classes(
          'flex flex-wrap justify-between gap-x-4 gap-y-2',
          about === undefined ? 'items-center' : 'items-end',
        )}
      >
        <div className="min-w-0">
          <h2 className="font-semibold text-base">{title}</h2>
          {about !== undefined && <p className="max-w-2xl text-pretty text-soft text-sm">{about}</p>}
        </div>
        {actions}
      </div>
      {content}
    </section>
  );
}

export function Card({ children }: { children: ReactNode }) {
  return <div className="overflow-hidden rounded-xl border border-line bg-card shadow-card">{children}</div>;
}

/** A list of labels and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-line">{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex gap-x-4 gap-y-0.5 px-4 py-2.5 max-sm:flex-col">
      <dt className="w-44 shrink-0 text-soft text-sm">{label}</dt>
      <dd className="min-w-0 flex-1 break-words text-sm">{withTimes(children)}</dd>
    </div>
  );
}
