import { Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { wordsOf } from '../../components/status.tsx';
import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { durationText } from '../../components/times/durations.ts';
import { ClockTime } from '../../components/times/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import { blockers, type DeploymentAnswer, eventWords, stageWords, states } from './deployment-words.ts';

type Event = Answers['deployments']['events']['items'][number];

/** What happened to a deployment, in words. */
export function DeploymentHistory({ deployment: { id } }: { deployment: DeploymentAnswer }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const events = usePages(trpc.deployments.events, { path: { id }, query: { limit: 100 } });
  return (
    <Section
      title="History"
      actions={
        <Link
          to="/$organization/workflows/$workflow"
          params={{ organization, workflow: id }}
          className="rounded-sm text-soft text-sm hover:text-text"
        >
          The workflow behind it
        </Link>
      }
    >
      <LoadedPages pages={events} empty={<EmptyState title="Nothing happened yet" />}>
        {(items) => (
          <Timeline label="History">
            {items.map((event) => (
              <TimelineItem
                key={event.id}
                tone={wordsOf(eventWords, event.kind).tone}
                title={titleOf(event)}
                aside={
                  <>
                    {tookText(event, items)}
                    <ClockTime at={event.at} />
                  </>
                }
              >
                {event.message === '' ? undefined : event.message}
              </TimelineItem>
            ))}
          </Timeline>
        )}
      </LoadedPages>
    </Section>
  );
}

/** Of what ended, how long it took: a stage since it began, a wait since it was said. */
function tookText({ kind, stage, at }: Event, all: readonly Event[]): string {
  const begins = { 'stage-ended': 'stage-started', unblocked: 'blocked', decided: 'approval-requested' }[
    kind as string
  ];
  const since = all
    .filter((one) => one.kind === begins && (kind !== 'stage-ended' || one.stage === stage) && one.at <= at)
    .map((one) => Date.parse(one.at));
  return since.length === 0 ? '' : durationText(Date.parse(at) - Math.max(...since));
}

function titleOf({ kind, stage, blocker, decision, decidedBy }: Event): string {
  const { word } = wordsOf(eventWords, kind);
  if (kind === 'stage-started' || kind === 'stage-ended') {
    return `${stageWords[stage as keyof typeof stageWords] ?? stage}: ${word.toLowerCase()}`;
  }
  if (kind === 'blocked') return blockers[blocker as keyof typeof blockers]?.waits ?? word;
  if (kind === 'decided') return `${decision === 'approved' ? 'Approved' : 'Rejected'} by ${decidedBy}`;
  if (kind === 'finished') return `Ended: ${wordsOf(states, stage || decision).word.toLowerCase() || 'done'}`;
  return word;
}
