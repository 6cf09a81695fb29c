import { LinkIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { CopyBlock } from '../../../components/copyable.tsx';
import { Bar, partOf } from '../../../components/stages/bar.tsx';
import { Badge } from '../../../components/status.tsx';
import { classes, type Tone } from '../../../components/style.ts';
import { durationText } from '../../../components/times/durations.ts';
import { ClockTime } from '../../../components/times/time.tsx';
import { WithTimes } from '../../../components/times/with-times.tsx';
import type { Answers } from '../../../control-plane/session.ts';

export type Step = Answers['workflows']['history']['items'][number];

/** Every outcome but `done` has a word; of a message that tells of a failure, its title has it. */
const words: Record<Step['outcome'], string> = {
  done: '',
  retried: 'retried',
  waiting: 'in progress',
  failed: 'failed',
  'timed-out': 'timed out',
  cancelled: 'cancelled',
};

const marks: Record<Tone, string> = {
  neutral: 'border-field-line bg-card',
  good: 'border-good-mark bg-good-mark',
  attention: 'border-attention-mark bg-attention-mark',
  fault: 'border-fault bg-fault',
  live: 'border-live-mark bg-live-mark breathe',
};

/** `whole`: the time of the workflow, in which a step has its place; a long-lived one has none. */
export function HistoryStep({ step, whole }: { step: Step; whole: { first: number; last: number } | undefined }) {
  const { tone, kind, outcome, title, stateTitle, attempts, durationMs, startedAt, sinceStartMs } = step;
  const from = Date.parse(startedAt);
  const to = step.finishedAt === undefined ? Date.now() : Date.parse(step.finishedAt);
  const word =
    kind === 'heard' && outcome === 'failed'
      ? ''
      : kind === 'waited' && outcome === 'waiting'
        ? 'waiting'
        : words[outcome];
  return (
    <div className="flex gap-3.5 px-4 py-2.5" data-tone={tone}>
      <span aria-hidden="true" className={classes('mt-1.5 size-[11px] shrink-0 rounded-full border-2', marks[tone])} />
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-5 gap-y-1">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
            <span className={classes('min-w-0 break-words font-medium', tone === 'fault' && 'text-fault')}>
              <WithTimes text={title} />
            </span>
            {word !== '' && <Badge tone={tone}>{word}</Badge>}
            {stateTitle !== undefined && kind !== 'ended' && (
              <Badge tone={tone === 'live' ? 'neutral' : tone}>{stateTitle}</Badge>
            )}
          </p>
          <Detail step={step} />
        </div>
        <div className="flex items-center gap-4 text-faint text-xs tabular-nums">
          {attempts > 1 && <span>{attempts} attempts</span>}
          {whole !== undefined && (
            <span className="relative h-1.5 w-28 max-lg:hidden">
              <Bar tone={tone} {...partOf(from, to, whole.first, whole.last)} />
            </span>
          )}
          <span className="w-14 text-right max-sm:w-auto">
            {durationMs !== undefined && durationMs > 0 && durationText(durationMs)}
          </span>
          {whole !== undefined && <span className="w-20 text-right max-sm:w-auto">+{durationText(sinceStartMs)}</span>}
          <Link
            from="/$organization/workflows/$workflow"
            to="/$organization/workflows/$workflow"
            params={(params) => params}
            search={(search) => ({ ...search, step: step.id })}
            replace
            resetScroll={false}
            className="inline-flex items-center gap-1.5 rounded-sm hover:text-text"
          >
            <ClockTime at={startedAt} />
            <LinkIcon size={12} />
            <span className="sr-only">: link to this step: {title}</span>
          </Link>
        </div>
      </div>
    </div>
  );
}

function Detail({ step: { detail, failure, outcome, events } }: { step: Step }) {
  return (
    <div className="break-words text-soft text-sm">
      {detail !== '' && (
        <p>
          <WithTimes text={detail} />
        </p>
      )}
      {failure !== '' && (
        <p>
          {outcome === 'retried' ? 'An attempt before failed: ' : 'The last attempt failed: '}
          {failure}
        </p>
      )}
      {events !== undefined && <RawEvents events={events} />}
    </div>
  );
}

function RawEvents({ events }: { events: NonNullable<Step['events']> }) {
  const text = JSON.stringify(events, null, 2);
  return (
    <details className="mt-1">
      <summary className="w-fit rounded-sm text-faint text-xs hover:text-text">
        {events.length === 1 ? '1 event' : `${events.length} events`}
        <span className="ml-2 font-mono">{events.map(({ type }) => type).join(', ')}</span>
      </summary>
      <div className="mt-2 mb-1">
        <CopyBlock text={text} label="events" />
      </div>
    </details>
  );
}
