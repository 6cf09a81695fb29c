import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Menu, MenuItem, MenuSeparator } from '../../components/dialogs/menu.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { DeleteCluster, DescribeCluster, RevokeAgent, useSchedulable } from '../events/cluster-changes.tsx';
import type { ClusterAnswer } from './cluster-status.tsx';

type Doing = 'describe' | 'revoke' | 'delete';

/** Actions of an administrator on a cluster. */
export function ClusterMenu({ cluster, onJoin }: { cluster: ClusterAnswer; onJoin: () => void }) {
  const { slug } = useMembership();
  const navigate = useNavigate();
  const [doing, setDoing] = useState<Doing>();
  const schedulable = useSchedulable(cluster);
  const close = () => setDoing(undefined);
  return (
    <>
      <Menu label={`Actions for ${cluster.name}`}>
        <MenuItem onSelect={() => setDoing('describe')}>Change name and region</MenuItem>
        <MenuItem onSelect={() => schedulable.send(!cluster.schedulable)}>
          {cluster.schedulable ? 'Refuse new workloads' : 'Accept new workloads'}
        </MenuItem>
        <MenuItem onSelect={onJoin}>
          {cluster.status === 'awaiting-agent' ? 'Show the command again' : 'Replace the agent'}
        </MenuItem>
        <MenuSeparator />
        {cluster.status !== 'awaiting-agent' && (
          <MenuItem danger onSelect={() => setDoing('revoke')}>
            Revoke the agent
          </MenuItem>
        )}
        <MenuItem danger onSelect={() => setDoing('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <DescribeCluster cluster={cluster} open={doing === 'describe'} onClose={close} />
      <RevokeAgent cluster={cluster} open={doing === 'revoke'} onClose={close} />
      <DeleteCluster
        cluster={cluster}
        open={doing === 'delete'}
        onClose={close}
        onDeleted={() => void navigate({ to: '/$organization/clusters', params: { organization: slug } })}
      />
    </>
  );
}
