import { PackageIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type BuildState, buildStates } from '../../../../domain/builds/states.ts';
import { OneAction } from '../../../components/actions/one-action.tsx';
import { FilterBar } from '../../../components/filter-bar/filter-bar.tsx';
import { Card, Page, Section } from '../../../components/page.tsx';
import { EmptyState, Loaded } from '../../../components/states.tsx';
import { wordsOf } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { timeColumn } from '../../../components/table/usual-columns.tsx';
import { durationText } from '../../../components/times/durations.ts';
import { useNow } from '../../../components/times/now.ts';
import { type Pages, usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { useMembership } from '../../../control-plane/session.ts';
import { type Placed, useService } from '../../services/use-service.ts';
import { buildActions, useBuildTools } from '../build-actions.tsx';
import { BuildStatus } from '../build-status.tsx';
import {
  type BuildAnswer,
  buildLink,
  buildMillis,
  cacheText,
  sourceText,
  states,
  triggerWords,
} from '../build-words.ts';
import { buildNow } from './build-now.tsx';

interface BuildListProps {
  /** Without it, those of the organization. */
  of?: { environmentId: string; serviceId: string };
  /** As the address has it. */
  status: BuildState | undefined;
  onStatus: (search: { status?: BuildState }) => void;
}

const choices = buildStates.map((value) => ({ value, label: states[value].word }));

/** Builds, the newest first, narrowed by a state that stands in the address. */
function BuildList({ of, status, onStatus }: BuildListProps) {
  const { trpc } = usePlane();
  const pages = usePages(trpc.builds.list, {
    query: { ...of, status, limit: 50 },
  });
  return (
    <>
      <FilterBar
        values={{ status }}
        onChange={(next) => onStatus(next as { status?: BuildState })}
        filters={[{ name: 'status', label: 'State', choices }]}
      />
      <BuildTable pages={pages} narrowed={status !== undefined} everywhere={of === undefined} />
    </>
  );
}

interface BuildTableProps {
  pages: Pages<BuildAnswer>;
  /** A filter leaves some of them out. */
  narrowed: boolean;
  /** They are of many services, so each names its own. */
  everywhere?: boolean;
}

/** Builds, the newest first. */
function BuildTable({ pages, narrowed, everywhere = false }: BuildTableProps) {
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

const at = '/$organization/p/$project/e/$environment/s/$service/builds';
const route = getRouteApi(at);

/** The builds of a service for an environment, the newest first. */
export function ServiceBuilds() {
  return <Loaded query={useService()}>{(placed) => <Builds {...placed} />}</Loaded>;
}

function Builds(placed: Placed) {
  const { service, environment } = placed;
  const { status } = route.useSearch();
  const navigate = useNavigate({ from: at });
  const build = buildNow(placed, useBuildTools());
  return (
    <Section title="Builds" bare actions={build !== undefined && <OneAction action={build} />}>
      <div className="flex flex-col gap-3">
        <BuildList
          of={{ environmentId: environment.id, serviceId: service.id }}
          status={status}
          onStatus={(search) => void navigate({ search, replace: true } as never)}
        />
      </div>
    </Section>
  );
}

const atAll = '/$organization/builds';
const routeOfAll = getRouteApi(atAll);

/** The builds of all services in all environments, the newest first. */
export function AllBuilds() {
  const { status } = routeOfAll.useSearch();
  const navigate = useNavigate({ from: atAll });
  return (
    <Page title="Builds" about="Images that are built of folders and commits, for all services." width="wide">
      <BuildList status={status} onStatus={(search) => void navigate({ search, replace: true } as never)} />
    </Page>
  );
}
