import type { Column } from '../../components/table/column.ts';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { type InstanceAnswer, InstanceStatus, restartsOf } from './instance-state.tsx';

export const nameColumn: Column<InstanceAnswer> = {
  label: 'Instance',
  cell: ({ id, message }) => (
    <>
      <span className="wrap-anywhere font-medium">{id}</span>
      {message !== undefined && (
        <span className="block text-pretty text-soft text-sm">
          <WithTimes text={message} />
        </span>
      )}
    </>
  ),
};

/** State, start and restarts. */
export const lifeColumns: readonly Column<InstanceAnswer>[] = [
  {
    label: 'State',
    cell: (instance) => (
      <span className="text-text">
        <InstanceStatus instance={instance} />
      </span>
    ),
    sort: ({ state }) => state,
    width: '11rem',
  },
  timeColumn('Started', ({ startedAt }) => startedAt, 'Not yet'),
  { label: 'Restarts', cell: restartsOf, sort: restartsOf, width: '4.5rem', phone: 'labelled' },
];
