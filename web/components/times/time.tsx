import { relativeTime } from './durations.ts';
import { useNow } from './now.ts';
import { useTimes } from './zone.ts';

/** How long ago, or how long until; the exact time on hover. */
export function Time({ at }: { at: string }) {
  useNow();
  return (
    <time dateTime={at} title={useTimes().exact(at)} className="whitespace-nowrap">
      {relativeTime(Date.parse(at) - Date.now())}
    </time>
  );
}

/** When on its day; all of it on hover. */
export function ClockTime({ at }: { at: string }) {
  const times = useTimes();
  return (
    <time dateTime={at} title={times.exact(at)} className="whitespace-nowrap tabular-nums">
      {times.clock(at)}
    </time>
  );
}

/** Within a sentence: "since 17:21:04", of another day with its date; all of it on hover. */
export function BriefTime({ at }: { at: string }) {
  useNow();
  const times = useTimes();
  return (
    <time dateTime={at} title={times.exact(at)} className="whitespace-nowrap">
      {times.brief(at)}
    </time>
  );
}

/** The whole of an instant, for facts. */
export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{useTimes().exact(at)}</time>;
}
