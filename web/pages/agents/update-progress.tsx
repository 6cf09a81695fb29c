import { CheckCircleFillIcon, CircleIcon } from '@primer/octicons-react';
import { Button } from '../../components/forms/button.tsx';
import { Spinner } from '../../components/loading.tsx';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/times/time.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { Release } from './release-name.tsx';
import { canCancel, phases, type UpdateAttempt } from './update-words.tsx';

/** A running update: finished, current and coming phases. */
export function UpdateProgress({ clusterId, attempt }: { clusterId: string; attempt: UpdateAttempt }) {
  const { client, trpc } = usePlane();
  const mayChange = useMay('admin');
  const cancel = useChange(
    (_: undefined, sent) => client.clusters.cancelAgentUpdate.mutate({ path: { id: clusterId } }, sent),
    {
      failed: 'The update could not be cancelled',
      succeeded: 'Cancelling the update',
      touches: () => [trpc.clusters.pathKey()],
    },
  );
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
          <Button small busy={cancel.sending} onClick={() => cancel.send(undefined)}>
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
