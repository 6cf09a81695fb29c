import { ArrowDownIcon, ArrowUpIcon } from '@primer/octicons-react';
import { classes } from '../style.ts';
import { type Column, nextOrder, type Order } from './column.ts';
import { as, rowGrid } from './row.tsx';

/** Headings; those of columns with a value to sort by are buttons. */
export function Head({
  columns,
  order,
  onOrder,
  menu,
}: {
  columns: readonly Column<never>[];
  order: Order | undefined;
  onOrder: (order: Order | undefined) => void;
  menu: boolean;
}) {
  return (
    <thead {...as.rowgroup} className="block stacked:sr-only stacked:focus-within:not-sr-only">
      <tr {...as.row} aria-rowindex={1} className={classes(rowGrid, 'border-line border-b py-2 stacked:grid-cols-1')}>
        {columns.map(({ label, sort, unlabelled }) => {
          const here = order?.label === label ? order : undefined;
          const direction = here === undefined ? undefined : here.descending ? 'descending' : 'ascending';
          return (
            <th key={label} {...as.columnheader} scope="col" aria-sort={direction} className="text-left font-medium">
              {sort === undefined ? (
                <span className={unlabelled === true ? 'sr-only' : 'text-soft text-xs'}>{label}</span>
              ) : (
                <button
                  type="button"
                  onClick={() => onOrder(nextOrder(label, order))}
                  className="group -my-1 inline-flex items-center gap-1 rounded-sm py-1 text-soft text-xs hover:text-text"
                >
                  {label}
                  <span aria-hidden="true" className={here === undefined ? 'opacity-0 group-hover:opacity-60' : ''}>
                    {here?.descending === true ? <ArrowDownIcon size={12} /> : <ArrowUpIcon size={12} />}
                  </span>
                </button>
              )}
            </th>
          );
        })}
        {menu && (
          <th {...as.columnheader} scope="col">
            <span className="sr-only">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
