import { Children, Fragment, type ReactNode } from 'react';
import { instantsIn } from './instants-in.ts';
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
