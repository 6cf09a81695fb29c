import { Outlet } from '@tanstack/react-router';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import { useMay } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { ClusterMenu } from './cluster-menu.tsx';
import { ClusterNotices } from './cluster-notices.tsx';
import { type ClusterAnswer, ClusterStatus } from './cluster-status.tsx';
import { JoinCommand } from './join-command.tsx';
import { useCluster } from './use-cluster.ts';

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
