import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Pages } from '../../control-plane/pages.ts';
import { Button } from '../forms/button.tsx';
import { Chip, type Filter } from './chip.tsx';
import { SearchField } from './search-field.tsx';

/** Filters as an address holds them, beside whatever else is in it. */
type Values = Partial<Record<string, string | boolean>>;

interface FilterBarProps<Of extends Values> {
  values: Of;
  /** The next search of the address; filters that are not set are missing. */
  onChange: (next: Of) => void;
  filters?: readonly (Filter & { name: keyof Of & string })[];
  /** Shows a field for `q`: its label, and what it searches. */
  search?: { label: string; placeholder: string };
  /** How many there are, said to screen readers when it changes. */
  count?: ReactNode;
}

/** The filters of a list: a search and a chip per filter, all in the address, so that a view can be shared. */
export function FilterBar<Of extends Values>({ values, onChange, filters = [], search, count }: FilterBarProps<Of>) {
  const names = [...filters.map(({ name }) => name), ...(search === undefined ? [] : ['q'])];
  const set = (changes: Values) => {
    const next = Object.entries({ ...values, ...changes });
    onChange(
      Object.fromEntries(next.filter(([, value]) => value !== undefined && value !== '' && value !== false)) as Of,
    );
  };
  const clear = () => set(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <search className="flex flex-wrap items-center gap-2">
      {search !== undefined && <SearchField {...search} value={String(values.q ?? '')} onChange={(q) => set({ q })} />}
      {filters.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={values[filter.name]}
          onChange={(to) => set({ [filter.name]: to })}
        />
      ))}
      {names.some((name) => values[name] !== undefined) && (
        <Button look="quiet" small onClick={clear}>
          Clear
        </Button>
      )}
      <p role="status" className="ml-auto text-soft text-sm tabular-nums">
        {count}
      </p>
    </search>
  );
}

const few = 10;

/** The field that narrows a list by words, for `search` of `FilterBar`; few things are found by looking at them. */
export function searchOf<Item>(
  { searched, items = [], whole, narrowed }: Pages<Item>,
  label: string,
  by: string,
): { search?: { label: string; placeholder: string } } {
  const long = items.length > few || (items.length > 0 && !whole);
  if (searched !== true || !(long || narrowed !== undefined)) return {};
  return { search: { label: `Search ${label}`, placeholder: `Search by ${by}` } };
}

/** Filters that stand in the address as they are, for `<FilterBar {...useAddressFilters()} filters={…} />`. */
export function useAddressFilters(): { values: Values; onChange: (next: Values) => void } {
  const navigate = useNavigate();
  const values: Values = useSearch({ strict: false });
  return { values, onChange: (search) => void navigate({ to: '.', search, replace: true } as never) };
}
