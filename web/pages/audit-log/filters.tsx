import { useId } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { type Choice, control, Select } from '../../components/forms/form.tsx';
import { kindsOfThings } from './deeds.ts';
import type { LogFilter } from './filter.ts';
import type { KnownNames } from './known-names.ts';

interface FiltersProps {
  filter: LogFilter;
  names: KnownNames;
  /** Name of an actor who is only known from a record. */
  stranger: string | undefined;
  /** Name of the one thing that the records are about. */
  thing: string | undefined;
  onChange: (filter: LogFilter) => void;
}

/** Filters of the log, kept in the address so that a view can be shared. */
export function Filters({ filter, names, stranger, thing, onChange }: FiltersProps) {
  const { action, actor, subject, from, to } = filter;
  const oneThing = subject?.includes('/') === true ? subject : undefined;
  const what = action ?? (subject === undefined ? '' : (oneThing ?? `${subject}/`));
  const whatChoices = actionChoices();
  const known = whatChoices.some(({ value }) => value === what);
  const set = (changes: { [Field in keyof LogFilter]?: string | undefined }) => {
    const next = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== undefined && value !== '');
    onChange(Object.fromEntries(next));
  };
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Labelled label="What" wide>
        <Select
          label="What happened"
          value={what}
          onChange={(value) =>
            set(
              value.endsWith('/')
                ? { action: undefined, subject: value.slice(0, -1) }
                : { action: value, subject: undefined },
            )
          }
          choices={
            known
              ? whatChoices
              : [{ value: what, label: oneThing === undefined ? what : (thing ?? 'One thing') }, ...whatChoices]
          }
        />
      </Labelled>
      <Labelled label="Who" wide>
        <Select
          label="Who did it"
          value={actor ?? ''}
          onChange={(value) => set({ actor: value })}
          choices={whoChoices(names, actor, stranger)}
        />
      </Labelled>
      <DayField label="First day" value={from} max={to} onChange={(value) => set({ from: value })} />
      <DayField label="Last day" value={to} min={from} onChange={(value) => set({ to: value })} />
      {Object.keys(filter).length > 0 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </div>
  );
}

function actionChoices(): Choice[] {
  return [
    { value: '', label: 'Everything' },
    ...kindsOfThings().flatMap(({ kind, name: group, deeds }) => [
      { value: `${kind}/`, label: `${group}: all`, group },
      ...deeds.map(([action, { label }]) => ({ value: action, label, group })),
    ]),
  ];
}

function whoChoices(
  { members, tokens }: KnownNames,
  actor: string | undefined,
  stranger: string | undefined,
): Choice[] {
  const choices = [
    { value: '', label: 'Anybody' },
    ...members.map(({ id, label }) => ({ value: id, label, group: 'Members' })),
    ...tokens.map(({ id, label }) => ({ value: id, label, group: 'API tokens' })),
  ];
  if (actor === undefined || choices.some(({ value }) => value === actor)) return choices;
  return [...choices, { value: actor, label: stranger ?? actor, group: 'Others' }];
}

function Labelled({ label, wide = false, children }: { label: string; wide?: boolean; children: React.ReactNode }) {
  return (
    <div className={wide ? 'w-52 max-sm:w-full' : 'w-38 max-sm:min-w-0 max-sm:flex-1'}>
      <span aria-hidden="true" className="mb-1 block text-soft text-xs">
        {label}
      </span>
      {children}
    </div>
  );
}

function DayField({
  label,
  value = '',
  onChange,
  min,
  max,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
  min?: string | undefined;
  max?: string | undefined;
}) {
  const id = useId();
  return (
    <div className="w-38 max-sm:min-w-0 max-sm:flex-1">
      <label htmlFor={id} className="mb-1 block text-soft text-xs">
        {label}
      </label>
      <input
        id={id}
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={(event) => onChange(event.target.value)}
        className={`${control} h-8.5 max-sm:h-10`}
      />
    </div>
  );
}
