import { Outlet } from '@tanstack/react-router';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { Card, Page } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { isMissing } from '../../control-plane/problem.ts';
import { useMay } from '../../control-plane/session.ts';
import { NotThere } from '../../frame/fallbacks/not-there.tsx';
import { useVisited } from '../../frame/palette/recent.ts';
import { ClusterMenu } from './cluster-menu.tsx';
import { ClusterNotices } from './cluster-notices.tsx';
import { type ClusterAnswer, ClusterStatus } from './cluster-status.tsx';
import { JoinCommand } from './join-command.tsx';
import { useCluster } from './use-cluster.ts';

/** One cluster: its state, and its details in tabs. */
export function Cluster() {
  const query = useCluster();
  const mayChange = useMay('admin');
  const joining = useAddressDialog('join');
  const cluster = query.data;
  useVisited('cluster', cluster?.id ?? '', cluster?.name, cluster?.id);
  if (isMissing(query.error)) return <NotThere />;
  if (cluster === undefined) {
    return (
      <Page title="Cluster">
        <Card>
          <Loaded query={query}>{() => null}</Loaded>
        </Card>
      </Page>
    );
  }
  const mayJoin = mayChange && !['deleting', 'deleted', 'failed'].includes(cluster.status);
  return (
    <Page
      title={cluster.name}
      status={<HowItIs cluster={cluster} />}
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

function HowItIs({ cluster }: { cluster: ClusterAnswer }) {
  return (
    <>
      <ClusterStatus cluster={cluster} />
      {cluster.local && <Badge>this installation</Badge>}
      {!cluster.schedulable && <Badge tone="attention">refuses new workloads</Badge>}
    </>
  );
}
