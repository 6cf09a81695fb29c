import { TrashIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import { OrganizationMark } from '../../components/avatar.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Table } from '../../components/table/table.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { personPlane } from '../../control-plane/plane.ts';
import { deletedColumns } from '../deletions/deleted-columns.tsx';
import { type Deletion, purge, restore } from './deletion-actions.ts';

/** Deleted organizations have no event stream, so the list is polled. */
const againMillis = 5_000;

/** Deleted organizations: those that can be restored, and the purge of the others. */
export function DeletedOrganizations() {
  const { trpc } = personPlane;
  const navigate = useNavigate();
  return (
    <Page
      title="Deleted organizations"
      about="Deleted organizations that you own. You can restore one until it is purged."
    >
      <Card>
        <Table
          label="Deleted organizations"
          pages={usePages(trpc.deletedOrganizations.list, { every: againMillis })}
          columns={columns}
          actions={(deletion) => [
            ...(deletion.restorable ? [restore(deletion, navigate)] : []),
            ...(deletion.purgeable ? [purge(deletion)] : []),
          ]}
          empty={
            <EmptyState icon={<TrashIcon />} title="No deleted organizations">
              An organization that you delete is listed here until it is purged.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

const columns = deletedColumns<Deletion>({
  mark: ({ name }) => <OrganizationMark name={name} />,
  about: ({ slug }) => <span className="font-mono text-xs">{slug}</span>,
  detail: ({ blocker, message }) => blocker ?? message ?? '',
});
