import { useState } from 'react';
import { releaseText } from '../../../domain/clusters/clusters.ts';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { durationText } from '../../components/times/durations.ts';
import { Time } from '../../components/times/time.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { type ClusterAnswer, isInContact } from '../clusters/cluster-status.tsx';
import { type AgentStatus, AttemptStatus, Release, releasesBefore, type UpdateAttempt } from './update-words.tsx';

/** Past updates, newest first. Administrators can open the history of each. */
export function UpdateHistory({ agent, attempts }: { agent: AgentStatus; attempts: readonly UpdateAttempt[] }) {
  const { slug } = useMembership();
  const mayRead = useMay('admin');
  return (
    <Section title="Updates so far">
      {attempts.length === 0 ? (
        <p className="px-4 py-3.5 text-soft text-sm">The agent has not been updated since it joined.</p>
      ) : (
        <Rows label="Updates so far">
          {attempts.map((attempt) => (
            <Row
              key={attempt.id}
              title={
                <>
                  {attempt.kind === 'rollback' ? 'Back to ' : 'To '}
                  <Release image={attempt.toImage} />
                </>
              }
              {...(mayRead && {
                link: {
                  to: '/$organization/workflows/$workflow',
                  params: { organization: slug, workflow: attempt.id },
                },
              })}
              detail={
                <>
                  from <Release image={attempt.fromImage} />
                  {attempt.message !== '' && <p className="text-pretty">{attempt.message}</p>}
                </>
              }
              facts={
                <>
                  <span className="text-text sm:w-48">
                    <AttemptStatus status={attempt.status} agent={agent} />
                  </span>
                  <span className="sm:w-32">
                    <Time at={attempt.startedAt} />
                    {attempt.finishedAt !== undefined && (
                      <span className="block stacked:inline"> took {tookText(attempt)}</span>
                    )}
                  </span>
                </>
              }
            />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function tookText({ startedAt, finishedAt = startedAt }: UpdateAttempt): string {
  return durationText(Date.parse(finishedAt) - Date.parse(startedAt));
}

/** Releases that ran on the cluster earlier, with a rollback to each. */
export function EarlierReleases({ cluster, agent }: { cluster: ClusterAnswer; agent: AgentStatus }) {
  const { trpc } = usePlane();
  const mayChange = useMay('admin');
  const [image, setImage] = useState<string>();
  const goBack = useOperation(trpc.clusters.rollbackAgent, {
    failed: 'The agent could not be rolled back',
    succeeded: 'Rollback started',
    quiet: true,
    done: () => setImage(undefined),
  });
  const releases = releasesBefore(agent);
  if (releases.length === 0) return null;
  return (
    <Section title="Previous releases">
      <Rows label="Previous releases">
        {releases.map((release) => (
          <Row
            key={release}
            title={<Release image={release} />}
            actions={
              mayChange &&
              agent.inProgress === undefined &&
              isInContact(cluster) && (
                <Button
                  small
                  aria-label={`Roll back to ${releaseText(release)}`}
                  onClick={() => {
                    goBack.reset();
                    setImage(release);
                  }}
                >
                  Roll back
                </Button>
              )
            }
          />
        ))}
      </Rows>
      <Confirm
        open={image !== undefined}
        onClose={() => setImage(undefined)}
        title={`Roll back to ${releaseText(image ?? '')}`}
        confirm="Roll back"
        change={goBack}
        onConfirm={() => image !== undefined && goBack.send({ path: { id: cluster.id }, body: { image } })}
      >
        Workloads keep running. If that release no longer works, the current one is restored automatically.
      </Confirm>
    </Section>
  );
}
