import { SearchIcon } from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import type { Pages } from '../../control-plane/pages.ts';
import { file } from '../../frame/page-file.ts';
import type { Action } from '../actions/action.ts';
import { useActions } from '../actions/use-actions.tsx';
import { LoadingRows } from '../loading.tsx';
import { EmptyState, ErrorState } from '../states.tsx';
import { type Column, type Order, sorted, tracksOf } from './column.ts';
import { End, PartlySorted } from './end.tsx';
import { focusRow, useFocusKept } from './focus-kept.ts';
import { Head } from './head.tsx';
import { as, TableRow } from './row.tsx';
import type { MenuAt } from './row-menu.tsx';
import { leastWidth, useStacked } from './stacked.ts';
import { most, useVirtualRows } from './virtual-rows.ts';

/** A list: all of a table but its label and what stands in its place while it is empty. */
export interface ListOf<Item> {
  pages: Pages<Item>;
  columns: readonly Column<Item>[];
  /** Where a row leads. */
  link?: (item: Item) => LinkProps | undefined;
  /** The lines of a row's menu, for those whose role allows them. A row without any has no menu. */
  actions?: (item: Item) => readonly Action[];
  /** The order before a heading is pressed, where it is not the server's. */
  arranged?: (items: readonly Item[]) => readonly Item[];
  /** Of the loaded items, those that a filter of the page leaves. */
  shows?: (item: Item) => boolean;
  /** Where the filter leaves nothing of what is there. */
  none?: ReactNode;
}

interface TableOf<Item> extends ListOf<Item> {
  label: string;
  empty: ReactNode;
}

interface Names<Item> {
  /** Names a row, and its controls. */
  name: (item: Item) => string;
}
/** A row is named by its `name`, if it has one. */
export type Naming<Item> = Item extends { name: string } ? Partial<Names<Item>> : Names<Item>;

const ownName = (item: unknown): string => (item as { name: string }).name;

const noResults = <EmptyState icon={<SearchIcon />} title="No results" />;

const loadMenu = () => file(() => import('./row-menu.tsx'));
const RowMenu = lazy(() => loadMenu().then((loaded) => ({ default: loaded.RowMenu })));

/** A list of things with what is known of each (README.md). */
export function Table<Item>(props: TableOf<Item> & Naming<Item>) {
  return <AnyTable {...(props as TableOf<Item> & Partial<Names<Item>>)} />;
}

/** The same where the type of the rows is not known yet, and with it whether they have a name. */
export function AnyTable<Item>(props: TableOf<Item> & Partial<Names<Item>>) {
  const { allowed, items, dialog } = useActions();
  const { name = ownName, actions } = props;
  const offered = actions && ((item: Item) => allowed(actions(item)));
  return (
    <>
      <Content<Item> {...props} name={name} offered={offered} items={items} />
      {/* Outside of the rows: the last one may go while its dialog closes. */}
      {dialog}
    </>
  );
}

interface ContentProps<Item> extends TableOf<Item>, Names<Item> {
  offered: ((item: Item) => readonly Action[]) | undefined;
  /** Lines of the menu. */
  items: (actions: readonly Action[]) => ReactNode;
}

function Content<Item>(props: ContentProps<Item>) {
  const { pages, empty } = props;
  const place = useRef<HTMLDivElement>(null);
  const { items, query } = pages;
  const [order, setOrder] = useState<Order>();
  const { columns, shows, arranged } = props;
  const shown = useMemo(() => {
    const left = shows === undefined ? items : items?.filter(shows);
    return sorted(arranged?.(left ?? []) ?? left ?? [], columns, order);
  }, [items, shows, arranged, columns, order]);
  const ids = useMemo(() => shown.map(pages.id), [shown, pages.id]);
  const focus = useFocusKept(ids, place);
  if (items === undefined) {
    if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
    return <LoadingRows />;
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: focus is only watched here.
    <div ref={place} onFocus={focus.onFocus} onBlur={focus.onBlur}>
      {shown.length === 0 ? (
        <>
          <div data-empty tabIndex={-1}>
            {items.length === 0 && pages.narrowed === undefined ? empty : (props.none ?? noResults)}
          </div>
          <End pages={pages} />
        </>
      ) : (
        <>
          <PartlySorted pages={pages} order={order} />
          <Rows {...props} {...{ shown, ids, place, focus, order, setOrder }} />
          <End pages={pages} />
        </>
      )}
    </div>
  );
}

interface RowsProps<Item> extends ContentProps<Item> {
  shown: readonly Item[];
  ids: readonly string[];
  place: React.RefObject<HTMLDivElement | null>;
  focus: ReturnType<typeof useFocusKept>;
  order: Order | undefined;
  setOrder: (order: Order | undefined) => void;
}

function Rows<Item>(props: RowsProps<Item>) {
  const { label, pages, columns, name, link, offered, shown, ids, place, focus, order, setOrder } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const stacked = useStacked(table, leastWidth(columns, offered !== undefined));
  const { rows, rest, measure } = useVirtualRows(ids, body, focus.kept);
  const [asked, setAsked] = useState<{ id: string; at: MenuAt; open: boolean }>();
  const about = asked === undefined ? undefined : shown[ids.indexOf(asked.id)];
  const virtual = shown.length > most;
  const total = pages.loadMore === undefined && !pages.query.isFetchingNextPage ? shown.length + 1 : -1;

  const moveBetweenRows = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.hasAttribute('data-stop')) return;
    // A menu that opens gets the focus a moment later: until then its keys come here, and move nothing.
    if (asked?.open === true) return;
    const here = ids.indexOf(target.closest('[data-id]')?.getAttribute('data-id') ?? '');
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: ids.length - 1 }[event.key];
    const id = next === undefined ? undefined : ids[next];
    if (id === undefined) return;
    event.preventDefault();
    focus.entered(id);
    // The row may have to be rendered first.
    requestAnimationFrame(() => focusRow(place.current, id, target.hasAttribute('data-menu')));
  };
  return (
    <>
      <table
        {...as.table}
        ref={table}
        data-stacked={stacked || undefined}
        aria-label={label}
        aria-rowcount={virtual ? total : undefined}
        style={{ '--tracks': tracksOf(columns, offered !== undefined) } as React.CSSProperties}
        className="block w-full"
        onKeyDown={moveBetweenRows}
      >
        <Head columns={columns} order={order} onOrder={setOrder} menu={offered !== undefined} />
        <tbody ref={body} {...as.rowgroup} className="flex flex-col" style={{ paddingBottom: rest }}>
          {rows.map(({ row, gap }) => {
            const [item, id] = [shown[row], ids[row]];
            if (item === undefined || id === undefined) return null;
            return (
              <TableRow
                key={id}
                {...{ item, id, gap, columns, measure }}
                index={virtual ? row + 2 : undefined}
                link={link?.(item)}
                menuColumn={offered !== undefined}
                menuLabel={offered?.(item).length ? `Actions for ${name(item)}` : undefined}
                expanded={asked?.open === true && asked.id === id}
                onNear={() => void loadMenu().catch(() => undefined)}
                onMenu={(asking, button, point) => setAsked({ id: asking, at: { button, point }, open: true })}
              />
            );
          })}
        </tbody>
      </table>
      {asked !== undefined && about !== undefined && (
        <Suspense>
          <RowMenu
            label={`Actions for ${name(about)}`}
            at={asked.at}
            open={asked.open}
            onClose={() => setAsked({ ...asked, open: false })}
          >
            {props.items(offered?.(about) ?? [])}
          </RowMenu>
        </Suspense>
      )}
    </>
  );
}
