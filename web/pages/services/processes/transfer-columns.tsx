import type { Column } from '../../../components/table/column.ts';
import { Time } from '../../../components/times/time.tsx';

/** The fields that backups and restores have in common. */
interface Transfer {
  volumeName: string;
  createdAt: string;
  requestedBy: string;
}

export const volumeColumn: Column<Transfer> = {
  label: 'Volume',
  cell: ({ volumeName }) => <span className="font-medium">{volumeName}</span>,
  sort: ({ volumeName }) => volumeName,
  width: 'minmax(0, 1fr)',
};

export const requestedColumn: Column<Transfer> = {
  label: 'Requested',
  cell: ({ createdAt, requestedBy }) => (
    <>
      <Time at={createdAt} />
      <span className="block text-soft text-sm">{requestedBy}</span>
    </>
  ),
  sort: ({ createdAt }) => createdAt,
  width: 'minmax(0, 1fr)',
  phone: 'labelled',
};
