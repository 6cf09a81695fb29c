import { classes, type Tone } from '../style.ts';

/** Where a span of time lies between the first moment and the last, in parts of a hundred. */
export function partOf(from: number, to: number, first: number, last: number): { left: number; width: number } {
  const whole = Math.max(1, last - first);
  const left = Math.min(99, Math.max(0, ((from - first) / whole) * 100));
  return { left, width: Math.min(100 - left, Math.max(0.5, ((to - from) / whole) * 100)) };
}

const fills: Record<Tone, string> = {
  neutral: 'bg-faint',
  good: 'bg-good-mark',
  attention: 'bg-attention-mark',
  fault: 'bg-fault',
  live: 'bg-live-mark breathe',
};

/** A length of time within the whole one. */
export function Bar({ tone, left, width }: { tone: Tone; left?: number; width?: number }) {
  return (
    <span aria-hidden="true" className="absolute inset-0 overflow-hidden rounded-full bg-ground">
      {left !== undefined && (
        <span
          className={classes('absolute inset-y-0 min-w-[3px] rounded-full', fills[tone])}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
      )}
    </span>
  );
}
