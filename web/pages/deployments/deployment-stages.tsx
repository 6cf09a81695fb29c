import { useQuery } from '@tanstack/react-query';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { Section } from '../../components/page.tsx';
import { type Stage, StageList } from '../../components/stages/stage-list.tsx';
import type { Tone } from '../../components/style.ts';
import { durationText } from '../../components/times/durations.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type DeploymentAnswer, stageWords, usualStages } from './deployment-words.ts';

type Shown = Pick<DeploymentAnswer, 'state' | 'stages' | 'finishedAt' | 'environmentId' | 'serviceId'>;

/** Of fewer the median says little, and of a single one it is that one. */
const fewest = 3;

/** The stages of a deployment as a timeline: those that were, and those to come, against what they usually take there. */
export function DeploymentStages({ deployment }: { deployment: Shown }) {
  const { trpc } = usePlane();
  const { environmentId, serviceId } = deployment;
  const { data } = useQuery(trpc.deployments.stats.queryOptions({ query: { environmentId, serviceId } }));
  const known = data !== undefined && data.sampleSize >= fewest ? data : undefined;
  const usual = new Map<string, number>(
    known?.stages.map(({ stage, medianSeconds }) => [stage, medianSeconds * 1_000]),
  );
  return (
    <Section
      title="Stages"
      about={
        known &&
        `Median of ${known.sampleSize} deployments that went live here in the last 30 days: ${durationText(known.medianSeconds * 1_000)}.`
      }
    >
      <StageList
        label="Stages"
        stages={stagesOf(deployment).map((stage) => ({ ...stage, usual: usual.get(stage.name) }))}
        finishedAt={deployment.finishedAt}
      />
    </Section>
  );
}

function stagesOf({ state, stages }: Shown): Stage[] {
  const over = isDeploymentFinal(state);
  const been = stages.map(({ stage, startedAt, endedAt, detail }, index): Stage => {
    const last = index === stages.length - 1;
    const { outcome, tone } = !last || state === 'live' ? done : over ? endOf(state) : endedAt ? done : running;
    return { name: stage, title: stageWords[stage], outcome, tone, startedAt, finishedAt: endedAt, detail };
  });
  const seen = new Set<string>(stages.map(({ stage }) => stage));
  const lastSeen = Math.max(-1, ...usualStages.map((stage, index) => (seen.has(stage) ? index : -1)));
  const coming = usualStages
    .slice(lastSeen + 1)
    .map((name): Stage => ({ name, title: stageWords[name], outcome: over ? 'skipped' : 'waiting', tone: 'neutral' }));
  return [...been, ...coming];
}

const done = { outcome: 'done', tone: 'good' } as const;
const running = { outcome: 'running', tone: 'live' } as const;

function endOf(state: Shown['state']): { outcome: Stage['outcome']; tone: Tone } {
  return state === 'failed' ? { outcome: 'failed', tone: 'fault' } : { outcome: 'cancelled', tone: 'neutral' };
}
