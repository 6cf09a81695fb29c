import { Section } from '../../components/page.tsx';
import { StageList } from '../../components/stages/stage-list.tsx';
import type { ActorDetail } from './actor-words.ts';

/** More states than these tell nothing more about a long-lived workflow. */
const mostStates = 8;

/** The parts of its way with their durations, or of a long-lived one the states that it was in lately. */
export function Stages({ actor }: { actor: Pick<ActorDetail, 'lives' | 'stages' | 'createdAt' | 'finishedAt'> }) {
  const { lives, stages, finishedAt } = actor;
  if (stages.length === 0) return null;
  const once = lives === 'once';
  const title = once ? 'Stages' : 'States';
  return (
    <Section title={title}>
      <StageList
        label={title}
        stages={once ? stages : stages.slice(-mostStates).toReversed()}
        finishedAt={finishedAt}
        once={once}
      />
    </Section>
  );
}
