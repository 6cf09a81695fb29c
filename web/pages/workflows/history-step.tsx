import { CopyBlock } from '../../components/copyable.tsx';
import { Badge } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import { durationText } from '../../components/time.tsx';
import { TimelineItem } from '../../components/timeline.tsx';
import { ClockTime } from '../../components/times/time.tsx';
import type { Answers } from '../../control-plane/session.ts';

export type Step = Answers['workflows']['history']['items'][number];

/** Every outcome but `done` has a colour and a word. */
const outcomes: Record<Step['outcome'], { tone: Tone; word?: string }> = {
  done: { tone: 'neutral' },
  retried: { tone: 'attention', word: 'retried' },
  waiting: { tone: 'live', word: 'in progress' },
  failed: { tone: 'fault', word: 'failed' },
  'timed-out': { tone: 'attention', word: 'timed out' },
  cancelled: { tone: 'neutral', word: 'cancelled' },
};

export function HistoryStep({ step }: { step: Step }) {
  const { tone, word } = outcomes[step.outcome] ?? { tone: 'neutral', word: step.outcome };
  const waits = step.kind === 'waited' && step.outcome === 'waiting';
  return (
    <TimelineItem
      tone={step.kind === 'ended' && step.outcome === 'done' ? 'good' : tone}
      title={
        <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-medium">{step.title}</span>
          {word !== undefined && <Badge tone={tone}>{waits ? 'waiting' : word}</Badge>}
        </span>
      }
      aside={
        <>
          {step.attempts > 1 && <span>{step.attempts} attempts</span>}
          {step.durationMs !== undefined && step.durationMs > 0 && <span>{durationText(step.durationMs)}</span>}
          <ClockTime at={step.startedAt} />
        </>
      }
    >
      {step.detail !== '' && <p>{step.detail}</p>}
      {step.failure !== '' && (
        <p>
          {step.outcome === 'done' ? 'An attempt before failed: ' : 'The last attempt failed: '}
          {step.failure}
        </p>
      )}
      {step.events !== undefined && <RawEvents events={step.events} />}
    </TimelineItem>
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
