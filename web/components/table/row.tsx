import { KebabHorizontalIcon } from '@primer/octicons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { IconButton } from '../forms/button.tsx';
import { classes } from '../style.ts';
import type { Column } from './column.ts';

/** Roles by name: browsers drop those of elements whose display is not a table's. */
export const as = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

export const rowGrid = 'grid grid-cols-(--tracks) items-center gap-x-4 px-4';

// Controls lie above the link that covers the row.
const above = '[&_:is(a,button,select,input)]:relative';

interface RowProps<Item> {
  item: Item;
  id: string;
  index: number | undefined;
  /** The height of the rows before it that are not rendered. */
  gap: number;
  columns: readonly Column<Item>[];
  link: LinkProps | undefined;
  /** The accessible name of the button; undefined where the row has no menu. */
  menuLabel: string | undefined;
  menuColumn: boolean;
  expanded: boolean;
  measure: (row: HTMLTableRowElement | null) => (() => void) | undefined;
  onMenu: (id: string, button: HTMLElement, point?: { x: number; y: number }) => void;
  /** The menu is probably wanted soon. */
  onNear: () => void;
}

export function TableRow<Item>({ item, id, index, gap, columns, link, ...menu }: RowProps<Item>) {
  const { menuLabel, menuColumn, expanded, measure, onMenu, onNear } = menu;
  const [first, ...rest] = columns;
  const button = (row: Element) => row.querySelector<HTMLElement>('[data-menu]');
  return (
    <tr
      {...as.row}
      ref={measure}
      data-id={id}
      aria-rowindex={index}
      style={gap === 0 ? undefined : { marginTop: gap }}
      onContextMenu={(event) => {
        const place = button(event.currentTarget);
        // Chosen text has the browser's own menu, as has a second right click.
        if (place === null || event.shiftKey || window.getSelection()?.isCollapsed === false) return;
        event.preventDefault();
        onMenu(id, place, { x: event.clientX, y: event.clientY });
      }}
      onKeyDown={(event) => {
        const place = button(event.currentTarget);
        if (place === null || !(event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) return;
        event.preventDefault();
        onMenu(id, place);
      }}
      className={classes(
        rowGrid,
        'relative border-line border-b py-2.5 last:border-b-0 stacked:flex stacked:flex-wrap stacked:gap-y-0.5 stacked:py-3',
        menuColumn && 'stacked:pr-14',
        (link !== undefined || menuLabel !== undefined) && 'hover:bg-hover/60',
        expanded && 'bg-hover/60',
      )}
    >
      <th {...as.rowheader} scope="row" className="min-w-0 break-words text-left font-normal stacked:w-full">
        {link === undefined ? (
          first?.cell(item)
        ) : (
          <Link {...link} data-stop className="rounded-sm after:absolute after:inset-0">
            {first?.cell(item)}
          </Link>
        )}
      </th>
      {rest.map((column) => (
        <Cell key={column.label} column={column}>
          {column.cell(item)}
        </Cell>
      ))}
      {menuColumn && (
        <td {...as.cell} className="relative -my-1 stacked:absolute stacked:top-2.5 stacked:right-2">
          {menuLabel !== undefined && (
            <IconButton
              label={menuLabel}
              data-menu
              data-stop
              aria-haspopup="menu"
              aria-expanded={expanded}
              onPointerEnter={onNear}
              onFocus={onNear}
              onClick={(event) => onMenu(id, event.currentTarget)}
            >
              <KebabHorizontalIcon />
            </IconButton>
          )}
        </td>
      )}
    </tr>
  );
}

function Cell({ column: { label, phone }, children }: { column: Column<never>; children: ReactNode }) {
  return (
    <td
      {...as.cell}
      data-label={label}
      className={classes(
        'min-w-0 break-words text-soft text-sm',
        above,
        phone === 'hidden' && 'stacked:hidden',
        phone === 'line' && 'stacked:w-full stacked:pt-1 stacked:empty:hidden',
        phone === 'labelled' && 'stacked:before:content-[attr(data-label)_"_"]',
      )}
    >
      {children}
    </td>
  );
}
