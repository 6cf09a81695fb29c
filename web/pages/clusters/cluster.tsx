import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { Tabs } from '../../components/tabs.tsx';
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
  const params = route.useParams();
  const { join } = route.useSearch();
  const mayChange = useMay('admin');
  const navigate = useNavigate();
  const above = { label: 'Clusters', link: { to: '/$organization/clusters', params } } as const;
  const cluster = query.data;
  if (cluster === undefined) {
    return (
      <Page title="Cluster" above={above}>
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
      above={above}
      status={<HowItIs cluster={cluster} />}
      actions={mayJoin && <ClusterMenu cluster={cluster} onJoin={() => setJoining(true)} />}
    >
      <ClusterNotices cluster={cluster} onJoin={mayJoin ? () => setJoining(true) : undefined} />
      <Tabs
        label={`Parts of ${cluster.name}`}
        tabs={[
          { label: 'Overview', link: { to: '/$organization/clusters/$cluster', params } },
          { label: 'Instances', link: { to: '/$organization/clusters/$cluster/instances', params } },
          { label: 'Events', link: { to: '/$organization/clusters/$cluster/events', params } },
          { label: 'Agent', link: { to: '/$organization/clusters/$cluster/agent', params } },
        ]}
      />
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
