import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FilterBar } from '../../../components/filter-bar/filter-bar.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { actorKinds, livesOf, manyOf } from '../actor-words.ts';
import { views, type WorkflowFilter } from './filter.ts';

interface FiltersProps {
  filter: WorkflowFilter;
  /** The name of a person or token that is not a member. */
  stranger: string | undefined;
  onChange: (filter: WorkflowFilter) => void;
}

/** Views first, then what narrows them; all of it is in the address. */
export function Filters({ filter, stranger, onChange }: FiltersProps) {
  const { trpc } = usePlane();
  const { id } = useMembership();
  const most = { limit: 200 };
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: most })).data?.items ?? [];
  const members = useQuery(trpc.members.list.queryOptions({ path: { id }, query: most })).data?.items ?? [];
  const { lives = 'once', view, about, by } = filter;
  const kinds = actorKinds.filter((kind) => livesOf(kind) === lives);
  const things = clusters.map((cluster) => ({ value: cluster.id, label: cluster.name }));
  const people = members.map(({ userId, name }) => ({ value: userId, label: name }));
  return (
    <div className="flex flex-col gap-3">
      <Views filter={filter} />
      <FilterBar
        values={{ ...filter }}
        onChange={onChange}
        search={{ label: 'Search workflows', placeholder: 'Search by title or id' }}
        filters={[
          { name: 'kind', label: 'Kind', choices: kinds.map((value) => ({ value, label: manyOf(value) })) },
          { name: 'about', label: 'About', choices: withGiven(things, about, 'Something deleted') },
          { name: 'by', label: 'Requested by', choices: withGiven(people, by, stranger ?? 'Somebody else') },
          ...(view === 'failed-today'
            ? []
            : ([
                { name: 'from', label: 'From', day: true },
                { name: 'until', label: 'Until', day: true },
              ] as const)),
        ]}
      />
    </div>
  );
}

/** An address may name what is not offered any more. */
function withGiven(choices: { value: string; label: string }[], given: string | undefined, label: string) {
  if (given === undefined || choices.some(({ value }) => value === given)) return choices;
  return [...choices, { value: given, label }];
}

function Views({ filter: { view: shown, ...filter } }: Pick<FiltersProps, 'filter'>) {
  const { slug: organization } = useMembership();
  // Workflows that live for ever seldom fail, and hardly today.
  const offered = views.filter(({ view }) => filter.lives === undefined || view !== 'failed-today');
  return (
    <nav aria-label="Views" className="flex flex-wrap gap-1.5">
      {offered.map(({ view, label }) => (
        <Link
          key={label}
          to="/$organization/workflows"
          params={{ organization }}
          search={view === undefined ? filter : { ...filter, view }}
          replace
          aria-current={shown === view ? 'true' : undefined}
          className="rounded-md px-2.5 py-1 text-soft text-sm hover:bg-hover aria-[current=true]:bg-hover aria-[current=true]:font-medium aria-[current=true]:text-text"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
