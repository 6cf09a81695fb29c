import type { ReactNode } from 'react';
import { classes, type Tone } from './style.ts';
import { BriefTime } from './times/time.tsx';
import { useTimes } from './times/zone.ts';

const marks: Record<Tone, string> = {
  neutral: 'bg-faint',
  good: 'bg-good-mark',
  attention: 'bg-attention-mark',
  fault: 'bg-fault',
  live: 'bg-live-mark breathe',
};

/** A state as a mark and a word. The colour adds nothing to the word. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-sm">
      <span aria-hidden="true" className={classes('size-2 shrink-0 rounded-full', marks[tone])} />
      {children}
    </span>
  );
}

/** How current is what an agent told; absent before any agent was heard of. */
export interface AsOf {
  at: string;
  inContact: boolean;
}

export interface TellsAsOf {
  asOf?: AsOf | undefined;
}

/** Whether the agent was there once and is not heard of any more. */
export function isOutOfContact({ asOf }: TellsAsOf): boolean {
  return asOf?.inContact === false;
}

/** A state that an agent told. Out of contact it is the last known one, in grey: its colour says nothing any more. */
export function Told({ of, tone, children }: { of: TellsAsOf; tone: Tone; children: string }) {
  const times = useTimes();
  if (of.asOf === undefined || of.asOf.inContact) return <Status tone={tone}>{children}</Status>;
  return (
    <span title={`As of ${times.exact(of.asOf.at)}`}>
      <Status tone="neutral">Last known: {children}</Status>
    </span>
  );
}

/** Beside facts that an agent told: since when they are the last known ones. Nothing while it is in contact. */
export function LastKnown({ of: { asOf } }: { of: TellsAsOf }) {
  if (asOf === undefined || asOf.inContact) return null;
  return (
    <>
      Last known, as of <BriefTime at={asOf.at} />
    </>
  );
}

const badges: Record<Tone, string> = {
  neutral: 'border-line bg-ground text-soft',
  good: 'border-transparent bg-good-ground text-good',
  attention: 'border-transparent bg-attention-ground text-attention',
  fault: 'border-transparent bg-fault-ground text-fault',
  live: 'border-transparent bg-live-ground text-live',
};

/** A short fact about a thing, beside its name. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex h-5 items-center whitespace-nowrap rounded-full border px-2 font-medium text-xs',
        badges[tone],
      )}
    >
      {children}
    </span>
  );
}

/** Word and tone of a state. States added by a newer control plane are shown under their API name. */
export function wordsOf<Words extends { word: string; tone: Tone }>(
  known: Readonly<Record<string, Words>>,
  state: string,
): Words | { word: string; tone: Tone } {
  return known[state] ?? { word: state, tone: 'neutral' };
}
