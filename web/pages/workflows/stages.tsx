import { CheckIcon, CircleIcon, DotFillIcon, SkipIcon, XIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Section } from '../../components/page.tsx';
import { classes, type Tone } from '../../components/style.ts';
import { durationText } from '../../components/times/durations.ts';
import { useNow } from '../../components/times/now.ts';
import { BriefTime } from '../../components/times/time.tsx';
import type { ActorDetail } from './actor-words.ts';

type Stage = ActorDetail['stages'][number];

/** More states than these tell nothing more about a long-lived workflow. */
const mostStates = 8;

/** The parts of its way with their durations, or of a long-lived one the states that it was in lately. */
export function Stages({ actor }: { actor: Pick<ActorDetail, 'lives' | 'stages' | 'createdAt' | 'finishedAt'> }) {
  useNow();
  const { lives, stages } = actor;
  if (stages.length === 0) return null;
  const once = lives === 'once';
  const shown = once ? stages : stages.slice(-mostStates).toReversed();
  const first = Math.min(...shown.map(({ startedAt }) => (startedAt === undefined ? Infinity : Date.parse(startedAt))));
  const last = actor.finishedAt === undefined ? Date.now() : Date.parse(actor.finishedAt);
  return (
    <Section title={once ? 'Stages' : 'States'}>
      <ol aria-label={once ? 'Stages' : 'States'} className="divide-y divide-line">
        {shown.map((stage) => (
          <li
            key={`${stage.name} ${stage.startedAt}`}
            className="grid grid-cols-[1.25rem_11rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2.5 text-sm max-sm:grid-cols-[1.25rem_minmax(0,1fr)_auto]"
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
            </span>
          </li>
        ))}
      </ol>
    </Section>
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

/** Where it lies between the first moment and the last, in parts of a hundred. */
function spanOf(
  { startedAt, finishedAt }: Stage,
  first: number,
  last: number,
): { left: number; width: number } | undefined {
  if (startedAt === undefined) return undefined;
  return partOf(Date.parse(startedAt), finishedAt === undefined ? last : Date.parse(finishedAt), first, last);
}

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
