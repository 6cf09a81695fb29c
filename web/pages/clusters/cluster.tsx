import { Outlet, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionMenu } from '../../components/actions/action-menu.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { namesIn } from '../../components/dialogs/affected-list.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { OperationForm } from '../../components/forms/operation/operation-form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { AgentArrival, type Joining, useLastArrival } from '../agents/agent-arrival.tsx';
import { type ClusterAnswer, ClusterStatus, isLost, NoHeartbeat, useCluster } from './cluster-status.tsx';

/** Problems of a cluster and what to do. `onJoin` is set for people who may create a join command. */
export function ClusterNotices({ cluster, onJoin }: { cluster: ClusterAnswer; onJoin: (() => void) | undefined }) {
  const { status, message, reconcileError, compileError } = cluster;
  return (
    <>
      {status === 'awaiting-agent' && (
        <Notice tone="attention" title="This cluster is waiting for its agent">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="min-w-0 flex-1 basis-64">
              {onJoin === undefined
                ? 'An administrator can show the join command.'
                : 'Run the command on its machine. If it has already run, its last line says what went wrong.'}
            </p>
            {onJoin !== undefined && (
              <Button small onClick={onJoin}>
                Show the command again
              </Button>
            )}
          </div>
        </Notice>
      )}
      {isLost(cluster) && <NoHeartbeat cluster={cluster} />}
      {status === 'degraded' && (
        <Notice tone="attention" title="Degraded">
          {message}
        </Notice>
      )}
      {status === 'failed' && (
        <Notice tone="fault" title="The cluster has failed">
          {message}
        </Notice>
      )}
      {status === 'deleting' && <Notice title="This cluster is being deleted">{message}</Notice>}
      {compileError !== '' && (
        <Notice tone="fault" title="Not everything can be sent to the agent">
          {compileError}
        </Notice>
      )}
      {reconcileError !== '' && reconcileError !== message && (
        <Notice tone="attention" title="The agent reports a problem">
          {reconcileError}
        </Notice>
      )}
    </>
  );
}

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

/** One cluster: its state, and its details in tabs. */
export function Cluster() {
  return (
    <ThingPage query={useCluster()} noun="Cluster">
      {(cluster) => <OneCluster cluster={cluster} />}
    </ThingPage>
  );
}

function OneCluster({ cluster }: { cluster: ClusterAnswer }) {
  const joining = useAddressDialog('join');
  const mayJoin = useMay('admin') && !['deleting', 'deleted', 'failed'].includes(cluster.status);
  useVisited('cluster', cluster.id, cluster.name, cluster.id);
  return (
    <Page
      title={cluster.name}
      status={
        <>
          <ClusterStatus cluster={cluster} />
          {cluster.local && <Badge>this installation</Badge>}
          {!cluster.schedulable && <Badge tone="attention">refuses new workloads</Badge>}
        </>
      }
      actions={mayJoin && <ClusterMenu cluster={cluster} onJoin={joining.show} />}
    >
      <ClusterNotices cluster={cluster} onJoin={mayJoin ? joining.show : undefined} />
      <Outlet />
      <Dialog open={mayJoin && joining.open} onClose={joining.close} title={`Join an agent to ${cluster.name}`}>
        <JoinCommand cluster={cluster} onClose={joining.close} />
      </Dialog>
    </Page>
  );
}

/** All that can be done to a cluster, on its own page. */
function ClusterMenu({ cluster, onJoin }: { cluster: ClusterAnswer; onJoin: () => void }) {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const navigate = useNavigate();
  const { id, name } = cluster;
  const path = { id };
  const word = (accepts = true) => `${accepts ? 'accepts' : 'does not accept'} new workloads`;
  // A small, reversible change, so it is shown before the answer.
  const schedulable = useFieldChange({
    operation: trpc.clusters.change,
    path,
    field: 'schedulable',
    value: cluster.schedulable,
    word,
    failed: `${name} could not be changed`,
    succeeded: (_, accepts) => `${name} ${word(accepts)}`,
    shownBy: [trpc.clusters.get.queryKey({ path })],
  });
  const waiting = cluster.status === 'awaiting-agent';
  const workloads = namesIn(trpc.workloads.list.queryOptions({ path, query: { limit: 200 } }));
  const revoke = deleteAction({
    verb: 'Revoke',
    label: 'Revoke the agent',
    noun: 'agent',
    name: `the agent of ${name}`,
    operation: trpc.clusters.revokeAgent,
    path,
    touches: [trpc.workloads.pathKey()],
    affected: [{ what: 'Workloads that keep running unseen', names: workloads }],
    consequences:
      'Its next request is refused, and the cluster waits for another agent. Workloads keep running on the machine until somebody stops them; their last known state is deleted here.',
  });
  const actions = [
    formAction({
      label: 'Change name and region',
      operation: trpc.clusters.change,
      path,
      current: cluster,
      fields: { name: {}, region: { hint: 'Where its machine is, in your own words.' } },
      title: `Change ${name}`,
      submit: 'Save',
      succeeded: 'Cluster saved',
    }),
    {
      label: cluster.schedulable ? 'Refuse new workloads' : 'Accept new workloads',
      act: () => schedulable.send(!cluster.schedulable),
    },
    { label: waiting ? 'Show the command again' : 'Replace the agent', act: onJoin },
    ...(waiting ? [] : [revoke]),
    deleteAction({
      noun: 'cluster',
      name,
      operation: trpc.clusters.delete,
      path,
      typed: name,
      succeeded: `${name} is being deleted`,
      elsewhere: true,
      done: () => navigate({ to: '/$organization/clusters', params: { organization: slug } }),
      affected: [{ what: 'Workloads to remove first', names: workloads }],
      consequences:
        'Its agent is refused from then on. Only a cluster without workloads and instances can be deleted. This cannot be undone.',
    }),
  ];
  return <ActionMenu label={`Actions for ${name}`} actions={actions} />;
}
