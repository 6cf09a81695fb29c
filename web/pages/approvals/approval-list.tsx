import { ChecklistIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/time-column.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { ApprovalStatus, type ListedApproval, titleOf } from './approval-words.tsx';

const route = getRouteApi('/$organization/approvals');

/** What waits for a decision, and what was decided. */
export function ApprovalList() {
  const { trpc } = usePlane();
  const { organization } = route.useParams();
  const { show } = route.useSearch();
  const approvals = usePages(trpc.approvals.list, { query: { state: show ?? 'pending', limit: 100 } });
  return (
    <Page
      title="Approvals"
      about="Changes of production wait here until an administrator has looked at them."
      tabs={
        <Tabs
          label="Approvals"
          tabs={[
            { label: 'Pending', link: { to: '.', search: {} }, active: show === undefined },
            { label: 'Decided', link: { to: '.', search: { show: 'decided' } }, active: show === 'decided' },
          ]}
        />
      }
    >
      <Card>
        <Table
          label="Approvals"
          pages={approvals}
          columns={show === undefined ? columns : [...columns, decided]}
          name={titleOf}
          link={({ id }) => ({ to: '/$organization/approvals/$approval', params: { organization, approval: id } })}
          empty={
            <EmptyState
              icon={<ChecklistIcon />}
              title={show === undefined ? 'Nothing waits for an approval' : 'Nothing was decided yet'}
            >
              Staged changes of a production environment come here when somebody requests their approval.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

const columns: Column<ListedApproval>[] = [
  {
    label: 'Change',
    cell: (approval) => (
      <>
        <span className="font-medium">{titleOf(approval)}</span>
        {approval.reason !== '' && <span className="block text-pretty text-soft text-sm">{approval.reason}</span>}
      </>
    ),
    sort: titleOf,
  },
  { label: 'Project', cell: ({ projectName }) => projectName, sort: ({ projectName }) => projectName },
  {
    label: 'State',
    cell: (approval) => (
      <span className="text-text">
        <ApprovalStatus of={approval} />
      </span>
    ),
    width: '9rem',
  },
  { label: 'Requested by', cell: ({ requestedBy }) => requestedBy, sort: ({ requestedBy }) => requestedBy },
  timeColumn('Requested', ({ createdAt }) => createdAt),
];

const decided: Column<ListedApproval> = {
  label: 'Decided by',
  cell: ({ decidedBy, selfApproved }) => (selfApproved ? `${decidedBy}, as the only one who may` : decidedBy),
  sort: ({ decidedBy }) => decidedBy,
};
