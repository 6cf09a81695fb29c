import { CheckIcon, XIcon } from '@primer/octicons-react';
import { type Choice, Grouped } from '../forms/form.tsx';
import { classes } from '../style.ts';

export interface Filter {
  name: string;
  label: string;
  /** Missing: the filter is a day, or on or off. */
  choices?: readonly Choice[];
  day?: true;
}

type Value = string | boolean | undefined;
interface ChipProps {
  filter: Filter;
  value: Value;
  onChange: (value: Value) => void;
}

const chip =
  'relative inline-flex h-8 items-center gap-1.5 rounded-full border px-3 text-sm focus-within:outline-2 focus-within:outline-focus focus-within:outline-offset-2 max-sm:h-10';
const look = (set: boolean) =>
  classes(
    chip,
    set ? 'border-field-line bg-card font-medium' : 'border-field-line border-dashed text-soft hover:text-text',
  );

/** One filter: dashed while it narrows nothing; set, with its value and a way to drop it. */
export function Chip({ filter, value, onChange }: ChipProps) {
  const { label, choices, day } = filter;
  if (choices === undefined && day === undefined) return <Toggle {...{ filter, value, onChange }} />;
  const set = typeof value === 'string';
  const chosen = choices?.find((choice) => choice.value === value);
  return (
    <span className={look(set)}>
      <span aria-hidden="true" className={set ? 'text-soft' : undefined}>
        {label}
      </span>
      {set && <span aria-hidden="true">{chosen?.label ?? (choices === undefined ? undefined : value)}</span>}
      {choices === undefined ? (
        <input
          type="date"
          aria-label={label}
          value={set ? value : ''}
          onChange={(event) => onChange(event.target.value)}
          className="w-30 bg-transparent text-text outline-none max-sm:text-[16px]"
        />
      ) : (
        // The native picker lies over the chip: phones show their own.
        <select
          aria-label={label}
          value={set ? value : ''}
          onChange={(event) => onChange(event.target.value)}
          className="absolute inset-0 w-full cursor-pointer appearance-none rounded-full text-base opacity-0"
        >
          <option value="">Any</option>
          {set && chosen === undefined && <option value={value}>{value}</option>}
          <Grouped choices={choices} />
        </select>
      )}
      {set && (
        <button
          type="button"
          aria-label={`Remove the filter ${label}`}
          onClick={() => onChange(undefined)}
          className="relative -mr-1.5 inline-flex size-5 items-center justify-center rounded-full text-soft hover:bg-hover hover:text-text"
        >
          <XIcon size={12} />
        </button>
      )}
    </span>
  );
}

function Toggle({ filter: { label }, value, onChange }: ChipProps) {
  const set = value === true;
  return (
    <button type="button" aria-pressed={set} onClick={() => onChange(!set)} className={look(set)}>
      {set && <CheckIcon size={12} />}
      {label}
    </button>
  );
}
