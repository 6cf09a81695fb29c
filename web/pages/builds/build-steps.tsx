import { Section } from '../../components/page.tsx';
import { StageList } from '../../components/stages/stage-list.tsx';
import { type BuildAnswer, cacheText } from './build-words.ts';
import { stagesOf } from './stages.ts';

/** The steps of a build as a timeline. */
export function BuildSteps({ build }: { build: BuildAnswer }) {
  const cached = cacheText(build.cache);
  return (
    <Section title="Steps" {...(cached === '' ? {} : { about: `From the cache: ${cached}.` })}>
      <StageList label="Steps" stages={stagesOf(build)} finishedAt={build.finishedAt} />
    </Section>
  );
}
