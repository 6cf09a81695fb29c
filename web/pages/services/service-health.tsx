import { isOutOfContact, Status, Told, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import { useTimes } from '../../components/times/zone.ts';
import type { ServiceOverview } from '../environments/use-overview.ts';

const healths: Record<ServiceOverview['health'], { word: string; tone: Tone; urgency: number }> = {
  down: { word: 'Down', tone: 'fault', urgency: 0 },
  degraded: { word: 'Degraded', tone: 'attention', urgency: 1 },
  unknown: { word: 'Unknown', tone: 'neutral', urgency: 2 },
  healthy: { word: 'Healthy', tone: 'good', urgency: 3 },
  suspended: { word: 'Suspended', tone: 'neutral', urgency: 4 },
  none: { word: 'Not deployed', tone: 'neutral', urgency: 5 },
};

/** Whether what should run does, as the agent told it last. */
export function ServiceHealth({ of }: { of: Pick<ServiceOverview, 'health' | 'asOf'> }) {
  const times = useTimes();
  const { word, tone } = wordsOf(healths, of.health);
  if (of.health === 'unknown' && isOutOfContact(of)) {
    return (
      <span title={of.asOf && `The agent was heard of last ${times.exact(of.asOf.at)}`}>
        <Status tone={tone}>Out of contact</Status>
      </span>
    );
  }
  return (
    <Told of={of} tone={tone}>
      {word}
    </Told>
  );
}

export function urgencyOf({ health }: Pick<ServiceOverview, 'health'>): number {
  return healths[health]?.urgency ?? 0;
}

/** The release that serves; a suspended service serves none. */
export function servedText({
  activeReleaseNumber,
  suspended,
}: Pick<ServiceOverview, 'activeReleaseNumber' | 'suspended'>): string {
  if (activeReleaseNumber === undefined) return 'None yet';
  return suspended ? `Nothing; it resumes with release ${activeReleaseNumber}` : `Release ${activeReleaseNumber}`;
}
