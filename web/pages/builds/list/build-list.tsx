import { type BuildState, buildStates } from '../../../../domain/builds/states.ts';
import { FilterBar } from '../../../components/filter-bar/filter-bar.tsx';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { states } from '../build-words.ts';
import { BuildTable } from './build-table.tsx';

interface BuildListProps {
  /** Without it, those of the organization. */
  of?: { environmentId: string; serviceId: string };
  /** As the address has it. */
  status: BuildState | undefined;
  onStatus: (search: { status?: BuildState }) => void;
}

const choices = buildStates.map((value) => ({ value, label: states[value].word }));

/** Builds, the newest first, narrowed by a state that stands in the address. */
export function BuildList({ of, status, onStatus }: BuildListProps) {
  const { trpc } = usePlane();
  const pages = usePages(trpc.builds.list, {
    query: { ...of, ...(status === undefined ? {} : { status }), limit: 50 },
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
