import { WorkflowIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Button } from '../../../components/forms/button.tsx';
import { Card, Page } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { Table } from '../../../components/table/table.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { useTimes } from '../../../components/times/zone.ts';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { columnsOf } from './columns.tsx';
import { queryOf, type WorkflowFilter } from './filter.ts';
import { Filters } from './filters.tsx';

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
