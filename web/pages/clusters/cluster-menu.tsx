import { useNavigate } from '@tanstack/react-router';
import { ActionMenu } from '../../components/actions/action-menu.tsx';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { namesIn } from '../../components/dialogs/affected-list.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import type { ClusterAnswer } from './cluster-status.tsx';

/** All that can be done to a cluster, on its own page. */
export function ClusterMenu({ cluster, onJoin }: { cluster: ClusterAnswer; onJoin: () => void }) {
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
