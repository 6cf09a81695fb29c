import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { withTimes } from './times/with-times.tsx';

interface PageProps {
  /** The heading; with `Ballast` behind it, the title of the browser's tab. */
  title: string;
  /** One sentence about the purpose of the page. */
  about?: ReactNode;
  /** Where this page belongs, if it is one thing of many. */
  above?: { label: string; link: LinkProps };
  /** Beside the heading: how it is. */
  status?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: heading, actions, and sections below each other. */
export function Page({ title, about, above, status, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Ballast`;
  }, [title]);
  return (
    <div className="mx-auto flex w-full max-w-[1080px] flex-col gap-6 px-8 pt-8 pb-24 max-sm:px-4 max-sm:pt-5">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          {above !== undefined && (
            <p className="mb-1 text-sm">
              <Link {...above.link} className="rounded-sm text-soft hover:text-text">
                {above.label}
              </Link>
              <span aria-hidden="true" className="px-1.5 text-faint">
                /
              </span>
            </p>
          )}
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
      {children}
    </div>
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
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
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
