import { RocketIcon } from '@primer/octicons-react';
import { Card } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { durationText } from '../../components/times/durations.ts';
import type { Pages } from '../../control-plane/pages.ts';
import { useMembership } from '../../control-plane/session.ts';
import { deploymentActions, useDeploymentTools } from './deployment-actions.tsx';
import { DeploymentStatus } from './deployment-status.tsx';
import { type DeploymentAnswer, deploymentLink, kindWords, states } from './deployment-words.ts';

interface DeploymentTableProps {
  pages: Pages<DeploymentAnswer>;
  /** The columns that tell them apart, beyond the release. */
  with?: readonly ('service' | 'environment')[];
}

/** Deployments of a service, of an environment or of all, the newest first. */
export function DeploymentTable({ pages, with: more = [] }: DeploymentTableProps) {
  const { slug } = useMembership();
  const tools = useDeploymentTools();
  return (
    <Card>
      <Table
        label="Deployments"
        pages={pages}
        columns={[...more.map((name) => columnsWith[name]), ...columns].toSorted(releaseFirst)}
        name={nameOf}
        link={(deployment) => deploymentLink(deployment, slug)}
        actions={(deployment) => deploymentActions(deployment, tools)}
        empty={
          <EmptyState icon={<RocketIcon />} title="No deployments yet">
            Staged changes become a deployment for each service that they affect.
          </EmptyState>
        }
      />
    </Card>
  );
}

const nameOf = ({ serviceName, releaseNumber }: DeploymentAnswer) => `release ${releaseNumber} of ${serviceName}`;

const releaseFirst = (one: Column<DeploymentAnswer>) => (one.label === 'Release' ? -1 : 0);

const columnsWith: Record<'service' | 'environment', Column<DeploymentAnswer>> = {
  service: { label: 'Service', cell: ({ serviceName }) => serviceName, sort: ({ serviceName }) => serviceName },
  environment: {
    label: 'Environment',
    cell: ({ environmentName }) => environmentName,
    sort: ({ environmentName }) => environmentName,
  },
};

const columns: Column<DeploymentAnswer>[] = [
  {
    label: 'Release',
    cell: ({ releaseNumber, kind, changeSetMessage }) => (
      <>
        <span className="font-medium">Release {releaseNumber}</span>
        <span className="block truncate text-soft text-sm">{changeSetMessage || kindWords[kind]}</span>
      </>
    ),
    sort: ({ releaseNumber }) => releaseNumber,
  },
  {
    label: 'State',
    cell: (deployment) => (
      <span className="text-text">
        <DeploymentStatus deployment={deployment} />
      </span>
    ),
    sort: ({ state }) => states[state].word,
    width: 'minmax(0, 1.5fr)',
  },
  { label: 'By', cell: ({ requestedBy }) => requestedBy, sort: ({ requestedBy }) => requestedBy },
  {
    label: 'Took',
    cell: ({ createdAt, finishedAt }) =>
      finishedAt === undefined ? 'so far' : durationText(Date.parse(finishedAt) - Date.parse(createdAt)),
    width: '6rem',
    phone: 'labelled',
  },
  timeColumn('Requested', ({ createdAt }) => createdAt),
];
