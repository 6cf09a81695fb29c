import type { ReactNode } from 'react';
import type { Column } from '../../../components/table/column.ts';
import { nameColumn } from '../../../components/table/name-column.tsx';
import { Table } from '../../../components/table/table.tsx';
import type { Pages } from '../../../control-plane/pages.ts';
import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import { useOverviews } from '../../environments/use-overview.ts';
import type { ServiceAnswer } from '../../services/use-service.ts';
import { moveBetweenColumns } from './moves.ts';
import type { PlacedColumn } from './placed.ts';
import { PromoteBetween } from './promote-between.tsx';
import { ReleaseCell } from './release-cell.tsx';

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
