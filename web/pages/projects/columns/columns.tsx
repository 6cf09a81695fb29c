import { ArrowRightIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { OneAction } from '../../../components/actions/one-action.tsx';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { nameColumn } from '../../../components/table/usual-columns.tsx';
import type { Pages } from '../../../control-plane/pages.ts';
import { useDeploymentTools } from '../../deployments/deployment-actions.tsx';
import { promoteAction } from '../../deployments/promotion/promote-action.tsx';
import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import { useOverviews } from '../../environments/use-overview.ts';
import type { ServiceAnswer } from '../../services/use-service.ts';
import { moveBetweenColumns, promotesFrom } from './moves.ts';
import { nextWith, type PlacedColumn, ReleaseCell } from './release-cell.tsx';

interface PromoteBetweenProps {
  service: ServiceAnswer;
  from: PlacedColumn;
  /** The columns behind it, the next one first. */
  behind: readonly PlacedColumn[];
}

/** Between two columns: that both run the same image, or the way from the one to the other. */
function PromoteBetween({ service, from: { environment, services }, behind }: PromoteBetweenProps) {
  const tools = useDeploymentTools();
  const here = services?.get(service.id);
  const next = nextWith(service.id, behind);
  const there = next?.services?.get(service.id);
  if (next === undefined || there === undefined || here === undefined) return null;
  const { activeReleaseId: releaseId, activeReleaseNumber: releaseNumber, activeReleaseDigest } = here;
  if (releaseId === undefined || releaseNumber === undefined) return null;
  if (there.activeReleaseDigest === activeReleaseDigest) {
    return (
      <span className="text-faint text-xs max-sm:sr-only">
        Same image<span className="sr-only"> as {next.environment.name}</span>
      </span>
    );
  }
  const release = { releaseId, releaseNumber, environmentName: environment.name };
  const named = { serviceId: service.id, serviceName: service.name };
  return (
    <OneAction
      action={promoteAction({ ...named, ...release }, next.environment, tools)}
      stop={promotesFrom(environment.id)}
      face={
        <>
          Promote <span className="sm:hidden">to {next.environment.name}</span>
          <span className="max-sm:rotate-90">
            <ArrowRightIcon size={14} />
          </span>
        </>
      }
      small
    />
  );
}

interface ColumnsProps {
  services: Pages<ServiceAnswer>;
  /** Only those that are called so. */
  find: string;
  /** In the order in which a release walks through them. */
  environments: readonly EnvironmentAnswer[];
  empty: ReactNode;
}

/** Environments as columns, services as rows: the release that is live in each, and what promotes it to the next one. */
export function Columns({ services, find, environments, empty }: ColumnsProps) {
  const overviews = useOverviews(environments.map(({ id }) => id));
  const placed = environments.map((environment, index): PlacedColumn => {
    const here = overviews[index];
    return { environment, services: here && new Map(here.map((one) => [one.serviceId, one])) };
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the links and buttons within.
    <div onKeyDown={moveBetweenColumns}>
      <Table
        label="Services"
        pages={services}
        shows={({ name, slug }) => [name, slug].some((one) => one.toLowerCase().includes(find.toLowerCase()))}
        columns={[
          { ...nameColumn<ServiceAnswer>(), width: 'minmax(0, 1fr)' },
          ...placed.flatMap((_, index) => columnsOf(placed, index)),
        ]}
        empty={empty}
      />
    </div>
  );
}

function columnsOf(placed: readonly PlacedColumn[], index: number): Column<ServiceAnswer>[] {
  const [column, ...behind] = placed.slice(index);
  if (column === undefined) return [];
  const { name } = column.environment;
  // A release walks from the left to the right.
  const others = [...placed.slice(0, index).toReversed(), ...behind];
  const releases: Column<ServiceAnswer> = {
    label: name,
    cell: (service) => <ReleaseCell service={service} column={column} others={others} />,
    width: 'minmax(0, 1.5fr)',
    phone: 'line',
  };
  if (behind.length === 0) return [releases];
  const between: Column<ServiceAnswer> = {
    label: `From ${name} to the next`,
    unlabelled: true,
    cell: (service) => <PromoteBetween service={service} from={column} behind={behind} />,
    width: '6.5rem',
    phone: 'line',
  };
  return [releases, between];
}
