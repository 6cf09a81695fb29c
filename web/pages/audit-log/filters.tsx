import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import type { Choice } from '../../components/forms/form.tsx';
import type { LogFilter } from './filter.ts';
import { kindsOfDeeds } from './known-deeds.ts';
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
export function Filters({ filter: { action, subject, ...rest }, names, stranger, thing, onChange }: FiltersProps) {
  // One chip for two filters: a single action, or all that happens to a kind of thing or to one of them.
  const what = action ?? (subject === undefined || subject.includes('/') ? subject : `${subject}/`);
  const filterOf = ({ what, ...next }: Omit<LogFilter, 'action' | 'subject'> & { what?: string }): LogFilter => {
    if (what === undefined) return next;
    if (what.endsWith('/')) return { ...next, subject: what.slice(0, -1) };
    return what.includes('/') ? { ...next, subject: what } : { ...next, action: what };
  };
  return (
    <FilterBar
      values={{ ...rest, ...(what === undefined ? {} : { what }) }}
      onChange={(next) => onChange(filterOf(next))}
      filters={[
        { name: 'what', label: 'What', choices: whatChoices(what, thing) },
        { name: 'actor', label: 'Who', choices: whoChoices(names, rest.actor, stranger) },
        { name: 'from', label: 'First day', day: true },
        { name: 'to', label: 'Last day', day: true },
      ]}
    />
  );
}

function whatChoices(what: string | undefined, thing: string | undefined): Choice[] {
  const choices = kindsOfDeeds().flatMap(({ kind, name: group, deeds }) => [
    { value: `${kind}/`, label: `${group}: all`, group },
    ...deeds.map(([action, { label }]) => ({ value: action, label: `${group}: ${label.toLowerCase()}`, group })),
  ]);
  if (what === undefined || choices.some(({ value }) => value === what)) return choices;
  return [{ value: what, label: what.includes('/') ? (thing ?? 'One thing') : what }, ...choices];
}

function whoChoices(
  { members, tokens }: KnownNames,
  actor: string | undefined,
  stranger: string | undefined,
): Choice[] {
  const choices = [
    ...members.map(({ id, label }) => ({ value: id, label, group: 'Members' })),
    ...tokens.map(({ id, label }) => ({ value: id, label, group: 'API tokens' })),
  ];
  if (actor === undefined || choices.some(({ value }) => value === actor)) return choices;
  return [...choices, { value: actor, label: stranger ?? actor, group: 'Others' }];
}
