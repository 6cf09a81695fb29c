import { WorkflowIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { FilterBar } from '../../../components/filter-bar/filter-bar.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Card, Page } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { Badge } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { durationText } from '../../../components/times/durations.ts';
import { useNow } from '../../../components/times/now.ts';
import { Time } from '../../../components/times/time.tsx';
import { useTimes } from '../../../components/times/zone.ts';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { ActorStatus } from '../actor-status.tsx';
import { type Actor, actorKinds, livesOf, manyOf } from '../actor-words.ts';
import { queryOf, views, type WorkflowFilter } from './filter.ts';

const route = getRouteApi('/$organization/workflows');

/** Runs to their end, newest first; workflows that live as long as their subject on a tab of their own. */
export function WorkflowList() {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const filter: WorkflowFilter = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/workflows' });
  const actors = usePages(trpc.workflows.list, {
    query: queryOf(filter, useTimes()),
    // The event stream does not report workflows that become stuck by time alone.
    every: 60_000,
  });
  const show = (search: WorkflowFilter) => void navigate({ search, replace: true });
  const { lives, ...narrowed } = filter;
  const to = { to: '/$organization/workflows', params: { organization } } as const;
  const stranger = actors.items?.find(({ requestedBy }) => requestedBy?.id === filter.by)?.requestedBy?.name;

  return (
    <Page
      title="Workflows"
      width="wide"
      about="Work that takes longer than a request, with its stages and its history."
      tabs={
        <Tabs
          label="Workflows"
          tabs={[
            { label: 'Runs', link: { ...to, search: {} }, active: lives === undefined },
            { label: 'Long-lived', link: { ...to, search: { lives: 'for-ever' } }, active: lives === 'for-ever' },
          ]}
        />
      }
    >
      <Filters filter={filter} stranger={stranger} onChange={show} />
      <Card>
        <Table
          label="Workflows"
          pages={actors}
          columns={columnsOf(lives)}
          name={({ title }) => title}
          link={({ id }) => ({ to: '/$organization/workflows/$workflow', params: { organization, workflow: id } })}
          empty={
            Object.keys(narrowed).length === 0 ? (
              <EmptyState icon={<WorkflowIcon />} title="No workflows yet">
                {lives === undefined
                  ? 'Agent updates and deletions are listed here with their histories.'
                  : 'Clusters are listed here with their histories.'}
              </EmptyState>
            ) : (
              <EmptyState
                icon={<WorkflowIcon />}
                title={empties[filter.view ?? 'all']}
                action={<Button onClick={() => show(lives === undefined ? {} : { lives })}>Show all</Button>}
              />
            )
          }
        />
      </Card>
    </Page>
  );
}

const empties = {
  all: 'No results',
  running: 'Nothing is running',
  'failed-today': 'Nothing failed today',
  stuck: 'Nothing is stuck',
} as const;

function columnsOf(lives: 'for-ever' | undefined): Column<Actor>[] {
  return [
    { label: 'Workflow', width: 'minmax(0, 3fr)', cell: (actor) => <What actor={actor} />, sort: ({ title }) => title },
    {
      label: 'State',
      width: '11rem',
      cell: (actor) => <ActorStatus actor={actor} />,
      sort: ({ stateTitle }) => stateTitle,
    },
    {
      label: 'Requested by',
      cell: ({ requestedBy }) => requestedBy?.name ?? '',
      sort: ({ requestedBy }) => requestedBy?.name,
      phone: 'labelled',
    },
    {
      label: 'Started',
      width: '8rem',
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt,
      phone: 'labelled',
    },
    ...(lives === undefined ? [duration] : []),
  ];
}

const duration: Column<Actor> = {
  label: 'Duration',
  width: '7rem',
  cell: (actor) => <Took actor={actor} />,
  sort: ({ createdAt, finishedAt }) => took({ createdAt, finishedAt }),
  phone: 'labelled',
};

function took({ createdAt, finishedAt }: { createdAt: string; finishedAt?: string | undefined }): number {
  return (finishedAt === undefined ? Date.now() : Date.parse(finishedAt)) - Date.parse(createdAt);
}

function Took({ actor }: { actor: Actor }) {
  useNow();
  return <span className="tabular-nums">{durationText(took(actor))}</span>;
}

function What({ actor: { title, stuck, blocker, message } }: { actor: Actor }) {
  const why = blocker || message;
  return (
    <>
      <span className="inline-flex flex-wrap items-center gap-2 font-medium">
        {title}
        {stuck && <Badge tone="attention">stuck</Badge>}
      </span>
      {why !== '' && <span className="line-clamp-2 block text-soft text-sm">{why}</span>}
    </>
  );
}

interface FiltersProps {
  filter: WorkflowFilter;
  /** The name of a person or token that is not a member. */
  stranger: string | undefined;
  onChange: (filter: WorkflowFilter) => void;
}

/** Views first, then what narrows them; all of it is in the address. */
function Filters({ filter, stranger, onChange }: FiltersProps) {
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
