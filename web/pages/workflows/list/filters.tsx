import { XIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../../components/forms/button.tsx';
import { Select, TextField } from '../../../components/forms/form.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { actorKinds, isKind, livesOf, manyOf } from '../actor-words.ts';
import { views, type WorkflowFilter } from './filter.ts';

interface FiltersProps {
  filter: WorkflowFilter;
  /** The name of the person or token that is not a member. */
  stranger: string | undefined;
  onChange: (filter: WorkflowFilter) => void;
}

/** Views first, then what narrows them; all of it is in the address. */
export function Filters({ filter, stranger, onChange }: FiltersProps) {
  const { trpc } = usePlane();
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit: 200 } })).data?.items ?? [];
  const path = { id: useMembership().id };
  const members = useQuery(trpc.members.list.queryOptions({ path, query: { limit: 200 } })).data?.items ?? [];
  const set = (name: keyof WorkflowFilter, value: string) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  const { lives, view, kind, about, by, from = '', until = '' } = filter;
  const narrowed = [kind, about, by, filter.from, filter.until].some((one) => one !== undefined);
  return (
    <div className="flex flex-col gap-3">
      <Views filter={filter} />
      <fieldset className="flex flex-wrap items-center gap-2 [&>div]:max-sm:w-full">
        <legend className="sr-only">Show only</legend>
        <div className="w-44">
          <Select
            label="Kind"
            value={isKind(kind) ? kind : ''}
            onChange={(value) => set('kind', value)}
            choices={[
              { value: '', label: 'Every kind' },
              ...actorKinds
                .filter((one) => livesOf(one) === (lives ?? 'once'))
                .map((value) => ({ value, label: manyOf(value) })),
            ]}
          />
        </div>
        <div className="w-44">
          <Select
            label="About"
            value={about ?? ''}
            onChange={(value) => set('about', value)}
            choices={[
              { value: '', label: 'About anything' },
              ...clusters.map(({ id, name }) => ({ value: id, label: name })),
              ...(about === undefined || clusters.some(({ id }) => id === about)
                ? []
                : [{ value: about, label: 'Something deleted' }]),
            ]}
          />
        </div>
        <div className="w-44">
          <Select
            label="Requested by"
            value={by ?? ''}
            onChange={(value) => set('by', value)}
            choices={[
              { value: '', label: 'By anyone' },
              ...members.map(({ userId, name }) => ({ value: userId, label: name })),
              ...(by === undefined || members.some(({ userId }) => userId === by)
                ? []
                : [{ value: by, label: stranger ?? 'Somebody else' }]),
            ]}
          />
        </div>
        {view !== 'failed-today' && (
          <div className="flex items-center gap-2 text-soft text-sm">
            <TextField bare name="from" label="From" type="date" value={from} onChange={(day) => set('from', day)} />
            to
            <TextField
              bare
              name="until"
              label="Until"
              type="date"
              value={until}
              onChange={(day) => set('until', day)}
            />
          </div>
        )}
        {narrowed && (
          <Button
            look="quiet"
            small
            icon={<XIcon />}
            onClick={() => onChange({ ...(lives && { lives }), ...(view && { view }) })}
          >
            Clear filters
          </Button>
        )}
      </fieldset>
    </div>
  );
}

function Views({ filter: { view: _, ...filter } }: Pick<FiltersProps, 'filter'>) {
  const { slug: organization } = useMembership();
  const shown = views.filter(({ view }) => filter.lives === undefined || view !== 'failed-today');
  return (
    <nav aria-label="Views" className="flex flex-wrap gap-1.5">
      {shown.map(({ view, label }) => (
        <Link
          key={label}
          to="/$organization/workflows"
          params={{ organization }}
          search={view === undefined ? filter : { ...filter, view }}
          replace
          aria-current={_ === view ? 'true' : undefined}
          className="rounded-full border border-field-line px-3 py-1 text-sm text-soft hover:bg-hover aria-[current=true]:border-strong aria-[current=true]:bg-strong aria-[current=true]:text-on-strong"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
