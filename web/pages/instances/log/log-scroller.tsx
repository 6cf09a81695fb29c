import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button } from '../../../components/forms/button.tsx';
import { classes } from '../../../components/style.ts';

/** A scrollable region without controls needs a tab stop for the keyboard. */
const scrolledByKeys = { tabIndex: 0 };

interface ScrollerProps {
  label: string;
  /** Whether the view stays at the newest line. */
  following: boolean;
  onFollow: (following: boolean) => void;
  /** Changes with the displayed lines. */
  version: unknown;
  newLines: number;
  wrap: boolean;
  times: boolean;
  children: ReactNode;
}

/** A log that stays at its newest line until the reader scrolls up, and resumes at the bottom. */
export function LogScroller({ label, following, onFollow, version, newLines, wrap, times, children }: ScrollerProps) {
  const box = useRef<HTMLElement>(null);
  const top = useRef(0);
  const below = useRef(0);
  useLayoutEffect(() => {
    if (box.current === null || version === undefined) return;
    // Keeps the reader's position when older lines are inserted above.
    const { scrollHeight, clientHeight } = box.current;
    box.current.scrollTop = scrollHeight - clientHeight - (following ? 0 : below.current);
  }, [following, version]);

  const onScroll = () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    below.current = scrollHeight - clientHeight - scrollTop;
    // Lines dropped at the top move the rest up, which is no scrolling by the reader.
    if (following && scrollTop < top.current && below.current > 40) onFollow(false);
    if (!following && scrollTop > top.current && below.current < 4) onFollow(true);
    top.current = scrollTop;
  };
  return (
    <div className="relative">
      <section
        ref={box}
        onScroll={onScroll}
        aria-label={label}
        {...scrolledByKeys}
        className="h-[max(20rem,calc(100dvh-19rem))] overflow-auto overscroll-contain rounded-xl border border-line bg-card py-2.5 font-mono text-[0.75rem] shadow-card"
      >
        <div data-wrap={wrap} data-times={times} className={classes('group/log', !wrap && 'w-max min-w-full')}>
          {children}
        </div>
      </section>
      {!following && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <span className="pointer-events-auto rounded-md bg-raised shadow-raised">
            <Button small onClick={() => onFollow(true)}>
              Jump to the newest
              {newLines > 0 && ` (${newLines.toLocaleString('en')} new)`}
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
