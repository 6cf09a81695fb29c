import { CheckCircleFillIcon, CircleIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { releaseText } from '../../../domain/clusters/clusters.ts';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Spinner } from '../../components/loading.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card, Fact, Facts, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge, LastKnown } from '../../components/status.tsx';
import { Time } from '../../components/times/time.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { type ClusterAnswer, isInContact, useCluster } from '../clusters/cluster-status.tsx';
import { EarlierReleases, UpdateHistory } from './update-history.tsx';
import { type AgentStatus, canCancel, phases, Release, type UpdateAttempt } from './update-words.tsx';

const route = getRouteApi('/$organization/clusters/$cluster');

/** Release of a cluster's agent, its running update, and past updates. */
export function ClusterAgent() {
  const { trpc } = usePlane();
  const { cluster: id } = route.useParams();
  const cluster = useCluster().data;
  const query = useQuery(trpc.clusters.agent.queryOptions({ path: { id } }));
  if (query.data === undefined || cluster === undefined) {
    return (
      <Card>
        <Loaded query={query}>{() => null}</Loaded>
      </Card>
    );
  }
  const agent = query.data;
  const open = agent.history.find((attempt) => attempt.id === agent.inProgress?.id);
  return (
    <>
      {open === undefined ? <LastOutcome agent={agent} /> : <UpdateProgress clusterId={id} attempt={open} />}
      <Releases cluster={cluster} agent={agent} />
      <UpdateHistory agent={agent} attempts={agent.history.filter((attempt) => attempt !== open)} />
      <EarlierReleases cluster={cluster} agent={agent} />
    </>
  );
}

/** Outcome of the last update, if it needs a person's action. */
function LastOutcome({ agent }: { agent: AgentStatus }) {
  const last = agent.history[0];
  if (last === undefined || !['returned', 'failed'].includes(last.status)) return null;
  return (
    <Notice
      tone={last.status === 'failed' ? 'fault' : 'attention'}
      title={
        last.status === 'failed'
          ? `The last update, to ${releaseText(last.toImage)}, failed`
          : `The agent rolled back from ${releaseText(last.toImage)} to its previous release`
      }
    >
      {last.message}
    </Notice>
  );
}

function Releases({ cluster, agent }: { cluster: ClusterAnswer; agent: AgentStatus }) {
  const mayChange = useMay('admin');
  const [asking, setAsking] = useState(false);
  const offers = agent.updateAvailable && agent.inProgress === undefined;
  return (
    <Section
      title="Release"
      actions={
        mayChange &&
        offers &&
        isInContact(cluster) && (
          <Button look="strong" onClick={() => setAsking(true)}>
            Update the agent
          </Button>
        )
      }
    >
      <Facts>
        <Fact label="Running">
          {agent.currentImage === '' ? (
            <span className="text-faint">Reported by the agent when it connects</span>
          ) : (
            <>
              <Release image={agent.currentImage} /> <LastKnown of={agent} />
            </>
          )}
        </Fact>
        <Fact label="Available">
          {agent.availableImage === '' ? (
            <span className="text-faint">Being built; this takes a minute</span>
          ) : (
            <span className="inline-flex flex-wrap items-center gap-2">
              <Release image={agent.availableImage} />
              {agent.currentImage === agent.availableImage && (
                <Badge tone={isInContact(cluster) ? 'good' : 'neutral'}>up to date</Badge>
              )}
              {agent.updateAvailable && <Badge tone="live">update available</Badge>}
            </span>
          )}
        </Fact>
        {mayChange && offers && !isInContact(cluster) && (
          <Fact label="Update">Available when the agent is in contact</Fact>
        )}
      </Facts>
      <UpdateAgent cluster={cluster} to={agent.availableImage} open={asking} onClose={() => setAsking(false)} />
    </Section>
  );
}

function UpdateAgent({
  cluster,
  to,
  open,
  onClose,
}: {
  cluster: ClusterAnswer;
  to: string;
  open: boolean;
  onClose: () => void;
}) {
  const update = useOperation(usePlane().trpc.clusters.updateAgent, {
    failed: 'The update could not be started',
    succeeded: 'Update started',
    quiet: true,
    done: onClose,
  });
  return (
    <Confirm
      open={open}
      onClose={() => {
        update.reset();
        onClose();
      }}
      title={`Update the agent of ${cluster.name}`}
      confirm="Update agent"
      change={update}
      onConfirm={() => update.send({ path: { id: cluster.id } })}
    >
      The agent is updated to {releaseText(to)}. Workloads keep running. If the new agent does not connect within two
      minutes, the previous one is restored automatically.
    </Confirm>
  );
}

/** A running update: finished, current and coming phases. */
function UpdateProgress({ clusterId, attempt }: { clusterId: string; attempt: UpdateAttempt }) {
  const mayChange = useMay('admin');
  const cancel = useOperation(usePlane().trpc.clusters.cancelAgentUpdate, {
    failed: 'The update could not be cancelled',
    succeeded: 'Cancelling the update',
  });
  const reached = phases.findIndex(({ status }) => status === attempt.status);
  return (
    <Section
      title={attempt.kind === 'rollback' ? 'The agent is being rolled back' : 'The agent is being updated'}
      about={
        <>
          From <Release image={attempt.fromImage} /> to <Release image={attempt.toImage} />, requested{' '}
          <Time at={attempt.startedAt} />. Workloads keep running.
        </>
      }
      actions={
        mayChange &&
        canCancel(attempt) && (
          <Button small busy={cancel.sending} onClick={() => cancel.send({ path: { id: clusterId } })}>
            Cancel the update
          </Button>
        )
      }
    >
      <ol aria-label="Steps of the update" aria-live="polite" className="flex flex-col gap-2.5 px-4 py-3.5 text-sm">
        {phases.map(({ status, now, done }, index) => (
          <li
            key={status}
            aria-current={index === reached ? 'step' : undefined}
            className={index > reached ? 'flex items-center gap-2.5 text-faint' : 'flex items-center gap-2.5'}
          >
            <span className="inline-flex size-4 shrink-0 items-center justify-center">
              {index < reached ? (
                <CheckCircleFillIcon className="text-good" />
              ) : index === reached ? (
                <Spinner />
              ) : (
                <CircleIcon />
              )}
            </span>
            <span>{index < reached ? done : now}</span>
          </li>
        ))}
      </ol>
      {attempt.message !== '' && (
        <p className="border-line border-t px-4 py-2.5 text-soft text-sm">{attempt.message}</p>
      )}
    </Section>
  );
}
