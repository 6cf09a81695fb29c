import { TrashIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import { OrganizationMark } from '../../components/avatar.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { personPlane } from '../../control-plane/plane.ts';
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

const columns: Column<Deletion>[] = [
  {
    label: 'Name',
    cell: ({ name, slug, blocker }) => (
      <span className="flex items-center gap-3">
        <OrganizationMark name={name} />
        <span className="min-w-0">
          <span className="font-medium">{name}</span> <span className="font-mono text-soft text-xs">{slug}</span>
          {blocker !== undefined && (
            <span className="block text-attention text-sm">
              <WithTimes text={blocker} />
            </span>
          )}
        </span>
      </span>
    ),
    sort: ({ name }) => name,
  },
  {
    label: 'Deleted',
    cell: ({ deletedAt, deletedBy }) => (
      <>
        <Time at={deletedAt} /> by {deletedBy.name}
      </>
    ),
    sort: ({ deletedAt }) => deletedAt,
    phone: 'labelled',
  },
  { label: 'State', cell: (deletion) => <State deletion={deletion} />, sort: ({ state }) => state },
];

function State({ deletion: { state, restorable, restoreUntil, message } }: { deletion: Deletion }) {
  if (state === 'failed') {
    return <Status tone="fault">Purge failed{message === undefined ? '' : `: ${message}`}</Status>;
  }
  if (state === 'purging') return <Status tone="live">Purging</Status>;
  if (!restorable) return <Status tone="live">Waiting to be purged</Status>;
  return (
    <Status tone="neutral">
      <span>
        Purged <Time at={restoreUntil} />
      </span>
    </Status>
  );
}
