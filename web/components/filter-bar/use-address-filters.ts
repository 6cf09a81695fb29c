import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Values } from './filter-bar.tsx';

/** Filters that stand in the address as they are, for `<FilterBar {...useAddressFilters()} filters={…} />`. */
export function useAddressFilters(): { values: Values; onChange: (next: Values) => void } {
  const navigate = useNavigate();
  const values: Values = useSearch({ strict: false });
  return { values, onChange: (search) => void navigate({ to: '.', search, replace: true } as never) };
}
