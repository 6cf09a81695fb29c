import { PackageIcon } from '@primer/octicons-react';
import { Card } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { wordsOf } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { timeColumn } from '../../../components/table/time-column.tsx';
import { durationText } from '../../../components/times/durations.ts';
import { useNow } from '../../../components/times/now.ts';
import type { Pages } from '../../../control-plane/pages.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { buildActions, useBuildTools } from '../build-actions.tsx';
import { buildLink } from '../build-link.ts';
import { BuildStatus } from '../build-status.tsx';
import { type BuildAnswer, buildMillis, cacheText, sourceText, states, triggerWords } from '../build-words.ts';

interface BuildTableProps {
  pages: Pages<BuildAnswer>;
  /** A filter leaves some of them out. */
  narrowed: boolean;
  /** They are of many services, so each names its own. */
  everywhere?: boolean;
}

/** Builds, the newest first. */
export function BuildTable({ pages, narrowed, everywhere = false }: BuildTableProps) {
  const { slug } = useMembership();
  const tools = useBuildTools();
  return (
    <Card>
      <Table
        label="Builds"
        pages={pages}
        columns={everywhere ? columnsEverywhere : columns}
        name={({ number, serviceName }) => (everywhere ? `build #${number} of ${serviceName}` : `build #${number}`)}
        link={(build) => buildLink(build, slug)}
        actions={(build) => buildActions(build, tools)}
        empty={
          <EmptyState icon={<PackageIcon />} title={narrowed ? 'No such builds' : 'No builds yet'}>
            {narrowed
              ? 'No build is in this state.'
              : 'A folder or a commit is built on the cluster of the environment, and then deployed.'}
          </EmptyState>
        }
      />
    </Card>
  );
}

const columns: Column<BuildAnswer>[] = [
  {
    label: 'Build',
    cell: (build) => (
      <>
        <span className="font-medium">Build #{build.number}</span>
        <span className="block truncate text-soft text-sm">{sourceText(build)}</span>
      </>
    ),
    sort: ({ number }) => number,
    width: 'minmax(0, 1.6fr)',
  },
  {
    label: 'State',
    cell: (build) => (
      <span className="text-text">
        <BuildStatus build={build} />
      </span>
    ),
    sort: ({ status }) => wordsOf(states, status).word,
    width: '11rem',
  },
  {
    label: 'By',
    cell: ({ requestedBy, trigger }) => (
      <>
        {requestedBy}
        <span className="block truncate text-soft text-sm">{triggerWords[trigger] ?? trigger}</span>
      </>
    ),
    sort: ({ requestedBy }) => requestedBy,
  },
  { label: 'Took', cell: (build) => <Took build={build} />, width: '6rem', phone: 'labelled' },
  { label: 'Cached', cell: ({ cache }) => cacheText(cache) || 'Nothing', width: '7.5rem', phone: 'labelled' },
  timeColumn('Requested', ({ createdAt }) => createdAt),
];

const serviceColumn: Column<BuildAnswer> = {
  label: 'Service',
  cell: ({ serviceName, environmentName }) => (
    <>
      {serviceName}
      <span className="block truncate text-soft text-sm">{environmentName}</span>
    </>
  ),
  sort: ({ serviceName }) => serviceName,
};

/** The page of a service has what was cached. */
const columnsEverywhere = [
  ...columns.slice(0, 1),
  serviceColumn,
  ...columns.slice(1).filter(({ label }) => label !== 'Cached'),
];

function Took({ build }: { build: BuildAnswer }) {
  const took = buildMillis(build, useNow());
  return took === undefined ? 'Not begun' : durationText(took);
}
