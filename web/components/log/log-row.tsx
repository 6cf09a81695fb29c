import { memo, useState } from 'react';
import { classes } from '../style.ts';
import type { Times } from '../times/times.ts';
import { placesOf } from './matches.ts';
import { hasFailed, type Line, type LogRow, type Missing, type RunEnd } from './rows.ts';
import { type Span, spansOf } from './terminal.ts';
import { longestShown } from './use-rows-window.ts';
import { endText, missingText } from './words.ts';

export interface RowLook {
  find: string;
  times: Times | undefined;
  wrap: boolean;
  /** Whether rows say which channel they are of. */
  named: boolean;
}

interface RowProps extends RowLook {
  row: LogRow;
  index: number;
  /** `mark`: the match, the linked line; `chosen`: selected by the reader. */
  state: 'mark' | 'chosen' | undefined;
  href: string;
  onChoose: (index: number, extend: boolean) => void;
}

/** One row. The text of a log is never markup. */
export const LogRowView = memo(function LogRowView({ row, ...rest }: RowProps) {
  if (row.kind === 'line') return <LineRow row={row} {...rest} />;
  return (
    <div
      data-index={rest.index}
      aria-current={rest.state === 'mark' ? 'true' : undefined}
      className={classes(
        'flex h-9 items-center gap-3 px-3.5 font-sans text-sm',
        rest.state === 'mark' && 'bg-live-ground',
      )}
    >
      {row.kind === 'end' ? (
        <EndWords row={row} named={rest.named} times={rest.times} />
      ) : (
        <MissingWords row={row} named={rest.named} />
      )}
    </div>
  );
});

function LineRow({ row, index, state, href, onChoose, find, times, wrap, named }: RowProps & { row: Line }) {
  const isError = row.stream === 'stderr';
  return (
    <div
      data-index={index}
      data-line={row.id}
      aria-current={state === 'mark' ? 'true' : undefined}
      className={classes(
        'flex gap-3 border-l-2 px-3 leading-5',
        wrap ? 'whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre',
        // A number is short enough to stand beside its line on a phone.
        wrap && row.number === undefined && 'max-sm:flex-wrap',
        state === 'mark' && 'border-live bg-live-ground',
        state === 'chosen' && 'border-live bg-hover',
        state === undefined && (isError ? 'border-attention-mark bg-attention-ground/50' : 'border-transparent'),
      )}
    >
      <a
        href={href}
        tabIndex={-1}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return;
          event.preventDefault();
          onChoose(index, event.shiftKey);
        }}
        className={classes(
          'shrink-0 select-none whitespace-pre hover:underline',
          isError ? 'text-attention' : 'text-faint',
        )}
      >
        {row.number === undefined ? (
          <>
            {times !== undefined && `${times.preciseClock(row.at)}  `}
            {isError ? 'err' : 'out'}
            <span className="sr-only">: link to this line of {row.stream}</span>
          </>
        ) : (
          <>
            <span className="sr-only">Link to line </span>
            {String(row.number).padStart(5)}
            {times !== undefined && `  ${times.preciseClock(row.at)}`}
          </>
        )}
      </a>
      {named && <span className="w-28 shrink-0 select-none truncate text-faint">{row.channel}</span>}
      <LineText row={row} find={find} wrap={wrap} />
    </div>
  );
}

function LineText({ row, find, wrap }: { row: Line; find: string; wrap: boolean }) {
  const [whole, setWhole] = useState(false);
  const isLong = row.text.length > longestShown && !whole;
  const spans: Span[] = row.raw === undefined ? [{ text: row.text }] : spansOf(row.raw);
  return (
    <span className={classes('min-w-0', wrap && row.number === undefined && 'max-sm:basis-full')}>
      {parts(isLong ? cut(spans) : spans, find)}
      {row.text === '' && ' '}
      {isLong && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="ml-2 rounded-sm border border-field-line px-1.5 font-sans text-soft text-xs hover:text-text"
        >
          Show all {row.text.length.toLocaleString('en')} characters
        </button>
      )}
    </span>
  );
}

function cut(spans: Span[]): Span[] {
  let rest = longestShown;
  return spans.flatMap((span) => {
    const text = span.text.slice(0, Math.max(0, rest));
    rest -= text.length;
    return text === '' ? [] : [{ ...span, text }];
  });
}

const tones: Record<NonNullable<Span['tone']>, string> = {
  ...{ fault: 'text-fault', good: 'text-good', attention: 'text-attention', live: 'text-live' },
  ...{ faint: 'text-faint', neutral: '' },
};

/** Spans with the matches in them marked, wherever those begin and end. */
function parts(spans: Span[], find: string) {
  if (spans.length === 1 && find === '' && spans[0]?.tone === undefined && spans[0]?.bold === undefined) {
    return spans[0]?.text;
  }
  const places = placesOf(spans.map(({ text }) => text).join(''), find);
  let from = 0;
  return spans.flatMap((span) => {
    const begin = from;
    from += span.text.length;
    const look = classes(span.tone !== undefined && tones[span.tone], span.bold && 'font-semibold');
    const borders = places.flat().map((place) => place - begin);
    const cuts = [0, ...borders.filter((at) => at > 0 && at < span.text.length), span.text.length];
    return cuts.slice(0, -1).map((at, index) => {
      const text = span.text.slice(at, cuts[index + 1]);
      const isMatch = places.some(([first, last]) => begin + at >= first && begin + at < last);
      const key = `${begin + at}`;
      if (isMatch) {
        return (
          <mark key={key} className={classes('rounded-sm bg-attention-mark/40 text-text', look)}>
            {text}
          </mark>
        );
      }
      return look === '' ? (
        text
      ) : (
        <span key={key} className={look}>
          {text}
        </span>
      );
    });
  });
}

function EndWords({ row, named, times }: { row: RunEnd } & Pick<RowLook, 'named' | 'times'>) {
  const failed = hasFailed(row);
  return (
    <>
      {times !== undefined && (
        <span className="shrink-0 font-mono text-[0.75rem] text-faint">{times.preciseClock(row.at)}</span>
      )}
      <span aria-hidden="true" className={classes('h-px w-6 shrink-0', failed ? 'bg-fault' : 'bg-field-line')} />
      <span className={classes('shrink-0 font-medium', failed ? 'text-fault' : 'text-soft')}>
        {named && `${row.channel} · `}
        {endText(row)}
      </span>
      <span aria-hidden="true" className={classes('h-px grow', failed ? 'bg-fault-line' : 'bg-line')} />
    </>
  );
}

function MissingWords({ row, named }: { row: Missing; named: boolean }) {
  return (
    <span className="truncate text-attention">
      {named && `${row.channel}: `}
      {missingText(row)}
    </span>
  );
}
