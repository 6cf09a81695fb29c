import type { ReactNode } from 'react';
import { Button } from '../forms/button.tsx';
import { Chip, type Filter } from './chip.tsx';
import { SearchField } from './search-field.tsx';

/** Filters as an address holds them, beside whatever else is in it. */
export type Values = Partial<Record<string, string | boolean>>;

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
