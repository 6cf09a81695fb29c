import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { buildStates } from '../../../domain/builds/states.ts';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Loaded } from '../../components/states.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Placed, useService } from '../services/use-service.ts';
import { BuildTable } from './build-table.tsx';
import { states } from './build-words.ts';

const at = '/$organization/p/$project/e/$environment/s/$service/builds';
const route = getRouteApi(at);

/** The builds of a service for an environment, the newest first. */
export function ServiceBuilds() {
  return <Loaded query={useService()}>{(placed) => <Builds {...placed} />}</Loaded>;
}

const choices = buildStates.map((value) => ({ value, label: states[value].word }));

function Builds({ service, environment }: Placed) {
  const { trpc } = usePlane();
  const { status } = route.useSearch();
  const navigate = useNavigate({ from: at });
  const of = { environmentId: environment.id, serviceId: service.id };
  const pages = usePages(trpc.builds.list, {
    query: { ...of, ...(status === undefined ? {} : { status }), limit: 50 },
  });
  return (
    <>
      <FilterBar
        values={{ status }}
        onChange={(next) => void navigate({ search: next as { status?: typeof status }, replace: true } as never)}
        filters={[{ name: 'status', label: 'State', choices }]}
      />
      <BuildTable pages={pages} narrowed={status !== undefined} />
    </>
  );
}
