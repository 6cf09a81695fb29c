import { useState } from 'react';
import { OperationForm } from '../../components/forms/operation/operation-form.tsx';
import { Loaded } from '../../components/states.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { AgentArrival, type Joining, useLastArrival } from '../agents/agent-arrival.tsx';
import type { ClusterAnswer } from './cluster-status.tsx';

/** A new join command for an existing cluster whose agent has not connected or is to be replaced. */
export function JoinCommand({ cluster, onClose }: { cluster: ClusterAnswer; onClose: () => void }) {
  const { trpc } = usePlane();
  const arrivals = useLastArrival(cluster.id);
  const [made, setMade] = useState<{ joining: Joining; before: string | undefined }>();
  if (made !== undefined) return <AgentArrival cluster={cluster} {...made} onClose={onClose} />;
  return (
    <Loaded query={arrivals}>
      {({ last }) => (
        <OperationForm
          operation={trpc.clusters.createEnrollmentToken}
          path={{ id: cluster.id }}
          fields={{}}
          submit="Create command"
          succeeded="Join command created"
          done={(joining) => setMade({ joining, before: last })}
          onCancel={onClose}
        >
          <div className="flex flex-col gap-2 text-pretty text-soft text-sm">
            <p>
              {cluster.status === 'awaiting-agent'
                ? 'A join command is shown only once; this creates another one.'
                : `The agent that joins with this command replaces the current agent of ${cluster.name}.`}
            </p>
            <p>Unused commands stay valid until they expire.</p>
          </div>
        </OperationForm>
      )}
    </Loaded>
  );
}
