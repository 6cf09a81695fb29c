import { SearchField } from '../../../components/filter-bar/search-field.tsx';
import { Checkbox, Select } from '../../../components/forms/form.tsx';

export interface HistorySearch {
  step?: string;
  failures?: true;
  q?: string;
  order?: 'newest' | 'oldest';
  raw?: true;
}

interface ChoicesProps {
  search: HistorySearch;
  order: 'newest' | 'oldest';
  onChange: (search: HistorySearch) => void;
}

/** Which steps of a history are shown, and in which order; all of it is in the address. */
export function Choices({ search, order, onChange }: ChoicesProps) {
  const { failures, raw, order: _, q = '', ...rest } = search;
  const flags = { ...(failures && { failures }), ...(raw && { raw }) };
  const kept = { ...rest, ...flags, ...(search.order && { order: search.order }), ...(q === '' ? {} : { q }) };
  const without = <Name extends keyof HistorySearch>(name: Name) => {
    const { [name]: gone, ...others } = kept;
    return others;
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Checkbox
        label="Failures only"
        checked={failures === true}
        onChange={(checked) => onChange(checked ? { ...kept, failures: true } : without('failures'))}
      />
      <Checkbox
        label="Raw events"
        checked={raw === true}
        onChange={(checked) => onChange(checked ? { ...kept, raw: true } : without('raw'))}
      />
      <SearchField
        label="Search the history"
        placeholder="Search the history"
        value={q}
        onChange={(text) => onChange(text === '' ? without('q') : { ...kept, q: text })}
      />
      <div className="w-36">
        <Select
          label="Order"
          value={order}
          onChange={(value) => onChange({ ...kept, order: value === 'newest' ? 'newest' : 'oldest' })}
          choices={[
            { value: 'oldest', label: 'Oldest first' },
            { value: 'newest', label: 'Newest first' },
          ]}
        />
      </div>
    </div>
  );
}
