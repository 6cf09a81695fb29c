import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copyable } from '../../components/copyable.tsx';
import { Fact, Facts, Section } from '../../components/page.tsx';
import { durationText } from '../../components/times/durations.ts';
import { useNow } from '../../components/times/now.ts';
import { ExactTime } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { DeploymentStatus } from '../deployments/deployment-status.tsx';
import { deploymentLink } from '../deployments/deployment-words.ts';
import { type BuildAnswer, buildLink, buildMillis, triggerWords } from './build-words.ts';

const link = 'rounded-sm underline decoration-line underline-offset-3 hover:decoration-current';

/** Who and what: the source, times, and what has become of it. */
export function BuildFacts({ build }: { build: BuildAnswer }) {
  const { slug: organization } = useMembership();
  const took = buildMillis(build, useNow());
  const { id, imageRef, message, requestedBy, trigger, createdAt, retryOf } = build;
  return (
    <Section title="About">
      <Facts>
        {message !== '' && <Fact label="Message">{message}</Fact>}
        <Source build={build} />
        <Fact label="Requested">
          <ExactTime at={createdAt} />
          <span className="block text-soft">
            by {requestedBy}, {(triggerWords[trigger] ?? trigger).toLowerCase()}
          </span>
        </Fact>
        {took !== undefined && <Fact label="Took">{durationText(took)}</Fact>}
        <Outcome build={build} />
        {imageRef !== '' && (
          <Fact label="Image">
            <Copyable text={imageRef} label="image" />
          </Fact>
        )}
        {retryOf !== undefined && (
          <Fact label="Retry of">
            <Link {...buildLink({ id: retryOf }, organization)} className={link}>
              The previous build
            </Link>
          </Fact>
        )}
        <Fact label="Workflow">
          <Link to="/$organization/workflows/$workflow" params={{ organization, workflow: id }} className={link}>
            History
          </Link>
        </Fact>
      </Facts>
    </Section>
  );
}

function Source({ build }: { build: BuildAnswer }) {
  const { repository, branch, commitSha, commitMessage } = build;
  if (repository === '' && commitSha === '') return <Fact label="Source">Uploaded folder</Fact>;
  return (
    <>
      {repository !== '' && (
        <Fact label="Repository">
          <code className="break-all">{repository}</code>
        </Fact>
      )}
      {branch !== '' && (
        <Fact label="Branch">
          <code className="break-all">{branch}</code>
        </Fact>
      )}
      {commitSha !== '' && (
        <Fact label="Commit">
          <Copyable text={commitSha} shown={commitSha.slice(0, 12)} label="commit" />
          {commitMessage !== '' && <span className="block whitespace-pre-wrap text-soft">{commitMessage}</span>}
        </Fact>
      )}
    </>
  );
}

/** The release and its deployment; what hinders them stands above. */
function Outcome({ build }: { build: BuildAnswer }) {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const { deploymentId = '', deploys, status } = build;
  const { data } = useQuery(
    trpc.deployments.get.queryOptions({ path: { id: deploymentId } }, { enabled: deploymentId !== '' }),
  );
  if (deploymentId !== '') {
    return (
      <Fact label="Deployment">
        <span className="flex flex-wrap items-center gap-x-3">
          <Link {...deploymentLink({ id: deploymentId }, slug)} className={link}>
            {data === undefined ? 'Its deployment' : `Release ${data.releaseNumber}`}
          </Link>
          {data !== undefined && <DeploymentStatus deployment={data} />}
        </span>
      </Fact>
    );
  }
  if (!deploys) return <Fact label="Deployment">None: only the image was asked for</Fact>;
  return status === 'queued' || status === 'running' ? <Fact label="Deployment">Once it is built</Fact> : null;
}
