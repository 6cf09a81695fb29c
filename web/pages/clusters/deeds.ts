import { type About, after, change, type Deeds, list, plainDeed, plainDeeds, said, why } from '../audit-log/deed.ts';

export const kinds = { cluster: 'Clusters' };

function clusterChanges({ name, details }: About): string {
  const renamed = change(details, 'name');
  const region = change(details, 'region');
  const schedulable = change(details, 'schedulable');
  return (
    list([
      renamed && `renamed the cluster ${said(renamed.from)} to ${said(renamed.to)}`,
      region && `set the region of the cluster ${name} to ${said(region.to) || 'none'}`,
      schedulable &&
        (schedulable.to === true
          ? `let the cluster ${name} take new workloads`
          : `let the cluster ${name} take no new workloads`),
    ]) || `changed the cluster ${name}`
  );
}

export const deeds: Deeds<'cluster'> = {
  ...plainDeeds('cluster', 'the cluster'),
  'cluster.updated': { label: 'Changed', done: clusterChanges },
  'cluster.enrollment_token_created': plainDeed(
    'Join command created',
    'created a command that joins a machine to the cluster',
  ),
  'cluster.agent_enrolled': {
    label: 'Agent joined',
    done: ({ name, details }) =>
      `joined the cluster ${name}${after(' with the version ', details.version)}${details.replaced === true ? ' and replaced the previous agent' : ''}`,
  },
  'cluster.agent_revoked': plainDeed('Agent revoked', 'revoked the agent of the cluster'),
  'cluster.agent_update_requested': {
    label: 'Agent update requested',
    done: ({ name, details }) =>
      `requested the ${details.kind === 'rollback' ? 'rollback' : 'update'} of the agent of the cluster ${name}${after(' to ', details.to)}`,
  },
  'cluster.agent_update_cancelled': plainDeed(
    'Agent update cancelled',
    'cancelled the update of the agent of the cluster',
  ),
  'cluster.exec': {
    label: 'Program run',
    done: ({ name, details }) => `ran ${said(details.program) || 'a program'} in an instance on the cluster ${name}`,
  },
  'cluster.restart': {
    label: 'Workload restarted',
    done: ({ name, details }) =>
      `restarted ${said(details.workload) || 'a workload'}${after(', process ', details.process)}, on the cluster ${name}`,
  },
  'cluster.command_cancelled': plainDeed('Command cancelled', 'cancelled a command on the cluster'),
  'cluster.deletion_requested': plainDeed('Deletion requested', 'requested the deletion of the cluster'),
  'cluster.failed': {
    label: 'Failed',
    done: ({ name, details }) => `marked the cluster ${name} as failed${why(details)}`,
  },
};
