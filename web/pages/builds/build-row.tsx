import { Row } from '../../components/rows.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { buildLink } from './build-link.ts';
import { BuildStatus } from './build-status.tsx';
import { type BuildAnswer, sourceText, whyOf } from './build-words.ts';

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
