import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Role } from '../../../domain/roles.ts';
import { useRights } from '../../control-plane/session.ts';
import { usePlace } from '../../frame/places.ts';
import type { DialogAction } from '../actions/action.ts';
import { usePageAction } from '../actions/use-page-action.tsx';
import type { Filter } from '../filter-bar/chip.tsx';
import { FilterBar, searchOf, useAddressFilters } from '../filter-bar/filter-bar.tsx';
import { ButtonLink } from '../forms/button.tsx';
import { Card, Page } from '../page.tsx';
import { EmptyState } from '../states.tsx';
import { AnyTable, type ListOf, type Naming } from './table.tsx';

interface ListPageProps<Item> extends ListOf<Item> {
  about: ReactNode;
  /** Creates one: the button beside the heading, and in the empty list. */
  make?: DialogAction;
  /** The name of its dialog in the address, where it is not `make`. */
  makeIn?: string;
  /** The same, where that is a page of its own. */
  makeAt?: { label: string; role: Role; link: LinkProps };
  filters?: readonly Filter[];
  /** Where `useListed` looks for words. */
  searchBy?: string;
  /** Names what belongs here, where nothing is yet. */
  empty: { title: string; text: ReactNode };
  /** What the page has besides its list. */
  beneath?: ReactNode;
}

/** The page of a place that is one list. Heading and icon are those of the place. */
export function ListPage<Item>(props: ListPageProps<Item> & Naming<Item>) {
  const {
    about,
    make,
    makeIn = 'make',
    makeAt,
    filters,
    searchBy = 'name',
    empty,
    beneath,
    ...table
  }: ListPageProps<Item> = props;
  const { label, icon } = usePlace();
  const may = useRights();
  const { button: opens, dialog } = usePageAction(makeIn, make);
  const button =
    makeAt !== undefined && may(makeAt.role) ? (
      <ButtonLink look="strong" {...makeAt.link}>
        {makeAt.label}
      </ButtonLink>
    ) : (
      opens
    );
  const bar = useAddressFilters();
  const { items, narrowed } = table.pages;
  const bare = items?.length === 0 && narrowed === undefined;
  // The button has one place once it is there: one that moved would take the focus of who just used it along.
  const placed = items !== undefined || narrowed !== undefined;
  const search = searchOf(table.pages, label, searchBy);
  const nothing = (
    <EmptyState icon={icon} title={empty.title} action={button}>
      {empty.text}
    </EmptyState>
  );
  const list = (
    <Card>
      <AnyTable {...table} label={label} empty={nothing} />
    </Card>
  );
  return (
    <Page title={label} about={about} actions={placed && !bare && button}>
      {filters === undefined && search.search === undefined ? (
        list
      ) : (
        <div className="flex flex-col gap-3">
          <FilterBar {...bar} {...search} {...(filters && { filters })} />
          {list}
        </div>
      )}
      {beneath}
      {dialog}
    </Page>
  );
}
