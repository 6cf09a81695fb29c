import { TrashIcon } from '@primer/octicons-react';
import { Card, Page } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { personPlane } from '../../control-plane/plane.ts';
import { DeletedOrganization } from './deleted-organization.tsx';

/** Deleted organizations have no event stream, so the list is polled. */
const againMillis = 5_000;

/** Deleted organizations: those that can be restored, and the purge of the others. */
export function DeletedOrganizations() {
  const { trpc } = personPlane;
  const deleted = usePages(trpc.deletedOrganizations.list, { every: againMillis });
  return (
    <Page
      title="Deleted organizations"
      about="Deleted organizations that you own. You can restore one until it is purged."
    >
      <Card>
        <LoadedPages
          pages={deleted}
          empty={
            <EmptyState icon={<TrashIcon />} title="No deleted organizations">
              An organization that you delete is listed here until it is purged.
            </EmptyState>
          }
        >
          {(deletions) => (
            <Rows label="Deleted organizations">
              {deletions.map((deletion) => (
                <DeletedOrganization key={deletion.id} deletion={deletion} />
              ))}
            </Rows>
          )}
        </LoadedPages>
      </Card>
    </Page>
  );
}
