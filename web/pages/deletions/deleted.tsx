import { TrashIcon } from '@primer/octicons-react';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
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

const columns: Column<DeletedItem>[] = [
  {
    label: 'Name',
    cell: ({ name, kind, context, detail }) => (
      <span className="min-w-0">
        <span className="font-medium">{name}</span>{' '}
        <span className="text-soft text-sm">
          {kind}
          {context === '' ? '' : ` of ${context}`}
        </span>
        {detail !== '' && (
          <span className="block text-soft text-sm">
            <WithTimes text={detail} />
          </span>
        )}
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
  { label: 'State', cell: (item) => <State item={item} />, sort: ({ state }) => state },
];

function State({ item: { state, restoreUntil, purgeable } }: { item: DeletedItem }) {
  if (state === 'failed') return <Status tone="fault">Purge failed</Status>;
  if (state === 'purging') return <Status tone="live">Purging</Status>;
  if (!purgeable) return <Status tone="live">Waiting to be purged</Status>;
  return (
    <Status tone="neutral">
      <span>
        Purged <Time at={restoreUntil} />
      </span>
    </Status>
  );
}
