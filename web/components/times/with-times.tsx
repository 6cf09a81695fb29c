import { Children, Fragment, type ReactNode } from 'react';
import { useTimes } from './zone.ts';

/** A sentence of the control plane or an agent; its instants are in the reader's zone, all of them on hover. */
export function WithTimes({ text }: { text: string }) {
  const times = useTimes();
  return instantsIn(text).map(({ from, text: part, at }) =>
    at === undefined ? (
      <Fragment key={from}>{part}</Fragment>
    ) : (
      <time key={from} dateTime={at} title={times.exact(at)} className="whitespace-nowrap">
        {times.brief(at)}
      </time>
    ),
  );
}

/** The same for content of a component: its texts through `WithTimes`, all else as it is. */
export function withTimes(content: ReactNode): ReactNode {
  return Children.map(content, (part) => (typeof part === 'string' ? <WithTimes text={part} /> : part));
}

/** ISO 8601 with its zone, or as histories have it: "2026-11-21 08:40 UTC". */
const instant =
  /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC/g;

interface Part {
  /** Where it begins. */
  from: number;
  text: string;
  /** Of an instant: ISO 8601. */
  at?: string;
}

/** The parts of a sentence that are instants, and those between them. */
export function instantsIn(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(instant)) {
    const time = Date.parse(match[0].replace(/ UTC$/, 'Z').replace(' ', 'T'));
    if (Number.isNaN(time)) continue;
    if (match.index > from) parts.push({ from, text: text.slice(from, match.index) });
    parts.push({ from: match.index, text: match[0], at: new Date(time).toISOString() });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ from, text: text.slice(from) });
  return parts;
}
