import { useQuery } from '@tanstack/react-query';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { ClusterAnswer } from '../clusters/cluster-status.tsx';

interface AboutCluster {
  cluster: ClusterAnswer;
  onClose: () => void;
}

/** Name and region. */
export function DescribeCluster({ cluster, open, onClose }: AboutCluster & { open: boolean }) {
  const { trpc } = usePlane();
  return (
    <FormDialog
      operation={trpc.clusters.change}
      path={{ id: cluster.id }}
      current={cluster}
      fields={{ name: {}, region: { hint: 'Where its machine is, in your own words.' } }}
      title={`Change ${cluster.name}`}
      submit="Save"
      succeeded="Cluster saved"
      open={open}
      onClose={onClose}
    />
  );
}

/** Whether the cluster accepts new workloads. A small, reversible change, so it is shown before the answer. */
export function useSchedulable({ id, name }: Pick<ClusterAnswer, 'id' | 'name'>) {
  const { client, trpc } = usePlane();
  return useChange(
    (schedulable: boolean, sent) => client.clusters.change.mutate({ path: { id }, body: { schedulable } }, sent),
    {
      failed: `${name} could not be changed`,
      succeeded: (_, schedulable) => `${name} ${schedulable ? 'accepts' : 'does not accept'} new workloads`,
      undo: (schedulable) => !schedulable,
      meanwhile: (schedulable) => [
        {
          queryKey: trpc.clusters.get.queryKey({ path: { id } }),
          data: (before: ClusterAnswer) => ({ ...before, schedulable }),
        },
      ],
      touches: () => [trpc.clusters.list.pathKey()],
    },
  );
}

export function RevokeAgent({ cluster, open, onClose }: AboutCluster & { open: boolean }) {
  const { client, trpc } = usePlane();
  const revoke = useChange(
    (_: undefined, sent) => client.clusters.revokeAgent.mutate({ path: { id: cluster.id } }, sent),
    {
      failed: 'The agent could not be revoked',
      succeeded: 'Agent revoked',
      quiet: true,
      done: onClose,
      touches: () => [trpc.clusters.pathKey(), trpc.workloads.pathKey()],
    },
  );
  return (
    <DeleteDialog
      open={open}
      onClose={() => {
        revoke.reset();
        onClose();
      }}
      title={`Revoke the agent of ${cluster.name}`}
      confirm="Revoke agent"
      affected={[{ what: 'Workloads that keep running unseen', names: useWorkloadNames(cluster, open) }]}
      change={revoke}
      onConfirm={() => revoke.send(undefined)}
    >
      Its next request is refused, and the cluster waits for another agent. Workloads keep running on the machine until
      somebody stops them; their last known state is deleted here.
    </DeleteDialog>
  );
}

export function DeleteCluster({
  cluster,
  open,
  onClose,
  onDeleted,
}: AboutCluster & { open: boolean; onDeleted: () => void }) {
  const { client, trpc } = usePlane();
  const remove = useChange((_: undefined, sent) => client.clusters.delete.mutate({ path: { id: cluster.id } }, sent), {
    failed: `${cluster.name} could not be deleted`,
    quiet: true,
    succeeded: `${cluster.name} is being deleted`,
    elsewhere: true,
    done: onDeleted,
    touches: () => [trpc.clusters.list.pathKey()],
  });
  return (
    <DeleteDialog
      open={open}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={`Delete ${cluster.name}`}
      confirm="Delete cluster"
      affected={[{ what: 'Workloads to remove first', names: useWorkloadNames(cluster, open) }]}
      change={remove}
      onConfirm={() => remove.send(undefined)}
      typed={{ label: `Type ${cluster.name} to confirm`, text: cluster.name }}
    >
      Its agent is refused from then on. Only a cluster without workloads and instances can be deleted. This cannot be
      undone.
    </DeleteDialog>
  );
}

function useWorkloadNames({ id }: ClusterAnswer, asked: boolean): string[] {
  const { trpc } = usePlane();
  const query = { limit: 200 };
  const workloads = useQuery({ ...trpc.workloads.list.queryOptions({ path: { id }, query }), enabled: asked }).data;
  return workloads?.items.map(({ name }) => name) ?? [];
}
