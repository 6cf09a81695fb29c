import { TrashIcon } from '@primer/octicons-react';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Table } from '../../components/table/table.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { deletedColumns } from './deleted-columns.tsx';
import { type DeletedItem, purge, restore } from './deletion-actions.tsx';

/** Deleted services, volumes, environments and projects: those that can be restored, and the purge of the others. */
export function Deleted() {
  const plane = usePlane();
  const mayDecide = useMay('admin');
  return (
    <Page
      title="Deleted"
      about="Services, volumes, environments and projects that can be restored until they are purged."
    >
      <Card>
        <Table
          label="Deleted"
          pages={usePages(plane.trpc.deletions.list, {})}
          columns={columns}
          actions={(item) => [
            ...(mayDecide && item.restorable ? [restore(item, plane)] : []),
            ...(mayDecide && item.purgeable ? [purge(item, plane)] : []),
          ]}
          empty={
            <EmptyState icon={<TrashIcon />} title="Nothing deleted">
              A service, volume, environment or project that somebody deletes is listed here until it is purged.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

const columns = deletedColumns<DeletedItem>({
  about: ({ kind, context }) => `${kind}${context === '' ? '' : ` of ${context}`}`,
  detail: ({ detail }) => detail,
});
