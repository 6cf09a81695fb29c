import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from './style.ts';
import { withTimes } from './times/with-times.tsx';

/** A list of things, a line each. On narrow screens the parts of a line stand one below the other. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {children}
    </ul>
  );
}

interface RowProps {
  /** Name of the item, in the heaviest type. */
  title: ReactNode;
  /** Where the title leads. */
  link?: LinkProps | undefined;
  /** When the link is followed, here or in a new tab. */
  onOpen?: (() => void) | undefined;
  /** For `useFocusKept`, where rows go. */
  id?: string;
  /** Beside the title. */
  badges?: ReactNode;
  /** Below the title, smaller. */
  detail?: ReactNode;
  /** Before everything: an avatar, an icon. */
  lead?: ReactNode;
  /** On the right: facts, then actions. */
  facts?: ReactNode;
  actions?: ReactNode;
}

export function Row({ title, link, onOpen, id, badges, detail, lead, facts, actions }: RowProps) {
  return (
    <li
      data-id={id}
      className={classes(
        'relative flex items-center gap-3 px-4 py-3 has-[a[aria-current=page]]:bg-hover',
        link !== undefined && 'hover:bg-hover/60',
      )}
    >
      {lead !== undefined && <span className="shrink-0">{lead}</span>}
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-6 gap-y-1">
        <div className="min-w-0 flex-1 basis-52">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            {link === undefined ? (
              <span className="min-w-0 break-words font-medium">{title}</span>
            ) : (
              // The link covers the whole row; buttons lie above it.
              <Link
                {...link}
                data-stop
                onClick={onOpen}
                onAuxClick={({ button }) => button === 1 && onOpen?.()}
                className="min-w-0 break-words rounded-sm font-medium after:absolute after:inset-0"
              >
                {title}
              </Link>
            )}
            {badges}
          </div>
          {detail !== undefined && <div className="min-w-0 break-words text-soft text-sm">{withTimes(detail)}</div>}
        </div>
        {facts !== undefined && (
          <div className="flex flex-wrap items-center gap-x-5 gap-y-1 text-soft text-sm">{facts}</div>
        )}
      </div>
      {actions !== undefined && <div className="relative flex shrink-0 items-center gap-1">{actions}</div>}
    </li>
  );
}
