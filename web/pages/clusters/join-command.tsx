import { useState } from 'react';
import { DialogActions, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Form } from '../../components/forms/form.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { AgentArrival, type Joining, useLastArrival } from '../agents/agent-arrival.tsx';
import type { ClusterAnswer } from './cluster-status.tsx';

/** A new join command for an existing cluster whose agent has not connected or is to be replaced. */
export function JoinCommand({ cluster, onClose }: { cluster: ClusterAnswer; onClose: () => void }) {
  const { client } = usePlane();
  const arrivals = useLastArrival(cluster.id);
  const [made, setMade] = useState<{ joining: Joining; before: string | undefined }>();
  const make = useChange(
    (_: undefined, sent) => client.clusters.createEnrollmentToken.mutate({ path: { id: cluster.id } }, sent),
    {
      failed: 'The command could not be created',
      succeeded: 'Join command created',
      quiet: true,
      secret: true,
      done: (joining) => setMade({ joining, before: arrivals.data }),
    },
  );
  if (made !== undefined) {
    return (
      <div className="flex flex-col gap-4">
        <AgentArrival cluster={cluster} {...made} />
        <DialogActions>
          <Button look="strong" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    );
  }
  if (arrivals.isError) return <ErrorState error={arrivals.error} retry={() => void arrivals.refetch()} />;
  return (
    <Form problem={make.problem} places={[]} onSubmit={() => make.send(undefined)}>
      <div className="flex flex-col gap-2 text-pretty text-soft text-sm">
        <p>
          {cluster.status === 'awaiting-agent'
            ? 'A join command is shown only once; this creates another one.'
            : `The agent that joins with this command replaces the current agent of ${cluster.name}.`}
        </p>
        <p>Unused commands stay valid until they expire.</p>
      </div>
      <SubmitOrCancel onCancel={onClose} busy={make.sending} disabled={arrivals.isPending}>
        Create command
      </SubmitOrCancel>
    </Form>
  );
}
