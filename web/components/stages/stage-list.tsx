import { CheckIcon, CircleIcon, DotFillIcon, SkipIcon, XIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { classes, type Tone } from '../style.ts';
import { durationText } from '../times/durations.ts';
import { useNow } from '../times/now.ts';
import { BriefTime } from '../times/time.tsx';
import { Bar, partOf } from './bar.tsx';

export interface Stage {
  name: string;
  title: string;
  outcome: 'done' | 'running' | 'failed' | 'cancelled' | 'waiting' | 'skipped';
  tone: Tone;
  startedAt?: string | undefined;
  finishedAt?: string | undefined;
  /** How long it usually takes, in milliseconds. */
  usual?: number | undefined;
  /** Beneath the title: a sentence about it. */
  detail?: string;
}

interface StageListProps {
  label: string;
  stages: readonly Stage[];
  /** The end of the whole; absent while it goes on. */
  finishedAt?: string | undefined;
  /** Parts of one way, in their order; otherwise states of something that lives long. */
  once?: boolean;
}

/** Stages below each other, each with its length as a bar within the whole. */
export function StageList({ label, stages, finishedAt, once = true }: StageListProps) {
  useNow();
  const first = Math.min(
    ...stages.map(({ startedAt }) => (startedAt === undefined ? Infinity : Date.parse(startedAt))),
  );
  const last = finishedAt === undefined ? Date.now() : Date.parse(finishedAt);
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {stages.map((stage) => (
        <li
          key={`${stage.name} ${stage.startedAt}`}
          className="grid grid-cols-[1.25rem_11rem_minmax(0,1fr)_minmax(5rem,auto)] items-center gap-x-3 px-4 py-2.5 text-sm max-sm:grid-cols-[1.25rem_minmax(0,1fr)_auto]"
        >
          <Mark stage={stage} once={once} />
          <span
            className={classes(
              'min-w-0 break-words',
              stage.startedAt === undefined && once ? 'text-soft' : 'font-medium',
            )}
          >
            {stage.title}
            <span className="sr-only"> {words[stage.outcome]}</span>
          </span>
          <span className="relative h-2 max-sm:hidden">
            <Bar tone={stage.tone} {...spanOf(stage, first, last)} />
          </span>
          <span className="whitespace-nowrap text-right text-soft tabular-nums">
            <Length stage={stage} once={once} />
            {stage.usual !== undefined && <span className="block text-faint">median {durationText(stage.usual)}</span>}
          </span>
          {stage.detail !== undefined && stage.detail !== '' && (
            <span className="col-span-full col-start-2 text-pretty break-words text-soft">{stage.detail}</span>
          )}
        </li>
      ))}
    </ol>
  );
}

const words: Record<Stage['outcome'], string> = {
  done: 'done',
  running: 'running',
  failed: 'failed',
  cancelled: 'cancelled',
  waiting: 'not started',
  skipped: 'skipped',
};

function Length({ stage: { outcome, startedAt, finishedAt }, once }: { stage: Stage; once: boolean }) {
  if (startedAt === undefined) return once ? words[outcome] : 'earlier';
  const length = durationText((finishedAt === undefined ? Date.now() : Date.parse(finishedAt)) - Date.parse(startedAt));
  if (!once) {
    return (
      <>
        {length}, since <BriefTime at={startedAt} />
      </>
    );
  }
  return outcome === 'done' ? length : `${words[outcome]}, ${length}`;
}

const colours: Record<Tone, string> = {
  neutral: 'text-faint',
  good: 'text-good',
  attention: 'text-attention',
  fault: 'text-fault',
  live: 'text-live',
};

function Mark({ stage: { outcome, tone }, once }: { stage: Stage; once: boolean }) {
  return (
    <span className={classes('flex justify-center', colours[tone])}>{once ? marks[outcome] : <DotFillIcon />}</span>
  );
}

const marks: Record<Stage['outcome'], ReactNode> = {
  done: <CheckIcon />,
  running: <DotFillIcon className="breathe" />,
  failed: <XIcon />,
  cancelled: <SkipIcon />,
  waiting: <CircleIcon size={12} />,
  skipped: <SkipIcon size={12} />,
};

function spanOf(
  { startedAt, finishedAt }: Stage,
  first: number,
  last: number,
): { left: number; width: number } | undefined {
  if (startedAt === undefined) return undefined;
  return partOf(Date.parse(startedAt), finishedAt === undefined ? last : Date.parse(finishedAt), first, last);
}
