import type { ReactNode } from 'react';
import { classes, type Tone } from './style.ts';
import { withTimes } from './times/with-times.tsx';

/** A vertical line of things that happened, in the order given. */
export function Timeline({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol aria-label={label} className="px-4 py-3">
      {children}
    </ol>
  );
}

const marks: Record<Tone, string> = {
  neutral: 'border-field-line bg-card',
  good: 'border-good-mark bg-good-mark',
  attention: 'border-attention-mark bg-attention-mark',
  fault: 'border-fault bg-fault',
  live: 'border-live-mark bg-live-mark breathe',
};

export function TimelineItem({
  tone = 'neutral',
  title,
  aside,
  children,
}: {
  tone?: Tone;
  title: ReactNode;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className="group relative flex gap-3.5 pb-4 last:pb-0">
      <span aria-hidden="true" className="absolute top-4 bottom-0 left-[5px] w-px bg-line group-last:hidden" />
      <span
        aria-hidden="true"
        className={classes('relative mt-1.5 size-[11px] shrink-0 rounded-full border-2', marks[tone])}
      />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="min-w-0 break-words text-sm">{withTimes(title)}</p>
          {aside !== undefined && (
            <div className="flex items-baseline gap-3 text-faint text-xs tabular-nums">{aside}</div>
          )}
        </div>
        {children !== undefined && <div className="break-words text-soft text-sm">{withTimes(children)}</div>}
      </div>
    </li>
  );
}
