import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { useMay } from '../../control-plane/session.ts';
import { ClusterMenu } from './cluster-menu.tsx';
import { ClusterNotices } from './cluster-notices.tsx';
import { type ClusterAnswer, ClusterStatus } from './cluster-status.tsx';
import { JoinCommand } from './join-command.tsx';
import { useCluster } from './use-cluster.ts';

const route = getRouteApi('/$organization/clusters/$cluster');

/** One cluster: its state, and its details in tabs. */
export function Cluster() {
  const query = useCluster();
  const { join } = route.useSearch();
  const mayChange = useMay('admin');
  const navigate = useNavigate();
  const cluster = query.data;
  if (cluster === undefined) {
    return (
      <Page title="Cluster">
        <Card>
          <Loaded query={query}>{() => null}</Loaded>
        </Card>
      </Page>
    );
  }
  const setJoining = (joining: boolean) =>
    void navigate({ to: '.', search: joining ? { join: true } : {}, replace: !joining });
  const mayJoin = mayChange && !['deleting', 'deleted', 'failed'].includes(cluster.status);
  return (
    <Page
      title={cluster.name}
      status={<HowItIs cluster={cluster} />}
      actions={mayJoin && <ClusterMenu cluster={cluster} onJoin={() => setJoining(true)} />}
    >
      <ClusterNotices cluster={cluster} onJoin={mayJoin ? () => setJoining(true) : undefined} />
      <Outlet />
      <Dialog
        open={mayJoin && join === true}
        onClose={() => setJoining(false)}
        title={`Join an agent to ${cluster.name}`}
      >
        <JoinCommand cluster={cluster} onClose={() => setJoining(false)} />
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
