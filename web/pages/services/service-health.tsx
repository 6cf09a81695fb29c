import { Told, wordsOf } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
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
  const { word, tone } = wordsOf(healths, of.health);
  return (
    <Told of={of} tone={tone}>
      {word}
    </Told>
  );
}

export function urgencyOf({ health }: Pick<ServiceOverview, 'health'>): number {
  return healths[health]?.urgency ?? 0;
}
