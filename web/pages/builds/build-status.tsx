import { Row } from '../../components/rows.tsx';
import { Status, wordsOf } from '../../components/status.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { type BuildAnswer, buildLink, sourceText, states, whyOf } from './build-words.ts';

/** The state of a build; one that was built and could not be deployed says so. */
export function BuildStatus({ build }: { build: Pick<BuildAnswer, 'status' | 'releaseError' | 'cancelRequested'> }) {
  const { status, releaseError, cancelRequested } = build;
  if (status === 'succeeded' && releaseError !== '') return <Status tone="attention">Built, not deployed</Status>;
  if (cancelRequested && (status === 'running' || status === 'queued'))
    return <Status tone="attention">Cancelling</Status>;
  const { word, tone } = wordsOf(states, status);
  return <Status tone={tone}>{word}</Status>;
}

/** A build under way among those of other services: what it waits for, or what is built. */
export function BuildRow({ build }: { build: BuildAnswer }) {
  const { slug } = useMembership();
  const { number, serviceName, environmentName, startedAt, createdAt } = build;
  return (
    <Row
      title={`${serviceName}, build #${number}`}
      badges={<span className="text-soft text-sm">{environmentName}</span>}
      link={buildLink(build, slug)}
      detail={whyOf(build)?.text ?? sourceText(build)}
      facts={
        <>
          <span>
            since <BriefTime at={startedAt ?? createdAt} />
          </span>
          <span className="text-text sm:w-42">
            <BuildStatus build={build} />
          </span>
        </>
      }
    />
  );
}
