import { ServerIcon } from '@primer/octicons-react';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { searchOf } from '../../components/filter-bar/search-of.ts';
import { useAddressFilters } from '../../components/filter-bar/use-address-filters.ts';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Table } from '../../components/table/table.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { useWhole } from '../../control-plane/whole.ts';
import { AddCluster } from './add-cluster.tsx';
import { columns } from './cluster-columns.tsx';
import { byUrgency, type ClusterAnswer } from './cluster-status.tsx';

/** All clusters, those that need attention first. */
export function ClusterList() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const mayChange = useMay('admin');
  const clusters = useListed(trpc.clusters.list, { query: { summary: true, limit: 200 } }, texts);
  // The most urgent may be on the last page.
  useWhole(clusters, true);
  const bar = useAddressFilters();
  const search = searchOf(clusters, 'clusters', 'name or region');
  const adding = useAddressDialog('add');
  const addButton = (
    <Button look="strong" onClick={adding.show}>
      Add a cluster
    </Button>
  );
  return (
    <Page title="Clusters" about="The machines on which your applications run." actions={mayChange && addButton}>
      {search.search && <FilterBar {...bar} {...search} />}
      <Card>
        <Table
          label="Clusters"
          pages={clusters}
          columns={columns}
          name={({ name }) => name}
          link={({ id }) => ({ to: '/$organization/clusters/$cluster', params: { organization: slug, cluster: id } })}
          arranged={byUrgency}
          empty={
            <EmptyState icon={<ServerIcon />} title="No clusters yet" action={mayChange && addButton}>
              A cluster is a machine on which an agent of Ballast runs your applications. One command connects it.
            </EmptyState>
          }
        />
      </Card>
      <AddCluster open={mayChange && adding.open} onClose={adding.close} />
    </Page>
  );
}

const texts = ({ name, region }: ClusterAnswer) => [name, region];
