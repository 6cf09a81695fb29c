import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../../components/states.tsx';
import { Told } from '../../../components/status.tsx';
import type { Tone } from '../../../components/style.ts';
import type { Column } from '../../../components/table/column.ts';
import { Table } from '../../../components/table/table.tsx';
import { durationText } from '../../../components/times/durations.ts';
import { ClockTime } from '../../../components/times/time.tsx';
import { wholeList } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import type { EnvironmentAnswer } from '../../environments/use-environment.ts';
import type { ProcessAnswer } from './process-fields.tsx';

type Run = Answers['processes']['runs']['items'][number];

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service');

/** The runs of a cron process that its machine still keeps, each with the way to its log. */
export function ProcessRuns({ process, environment }: { process: ProcessAnswer; environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const { organization } = route.useParams();
  const { id, name } = process;
  const runs = useQuery(trpc.processes.runs.queryOptions({ path: { id }, query: { environmentId: environment.id } }));
  const { clusterId = '' } = environment;
  return (
    <Loaded query={runs}>
      {({ items }) => (
        <div className="border-line border-t">
          <Table
            label={`Runs of ${name}`}
            pages={wholeList(items, ({ id: run }) => run)}
            columns={columns}
            name={({ id: run }) => run}
            link={({ id: instance }) => ({
              to: '/$organization/clusters/$cluster/instances/$instance',
              params: { organization, cluster: clusterId, instance },
            })}
            empty={<p className="px-4 py-3 text-soft text-sm">No runs yet.</p>}
          />
        </div>
      )}
    </Loaded>
  );
}

/** How a run ended, or that it has not. */
function resultOf({ state, exit, message }: Run): { word: string; tone: Tone } {
  if (state !== 'ended') return { word: message ?? 'Running', tone: 'live' };
  if (exit?.signal !== undefined) return { word: `Ended by ${exit.signal}`, tone: 'fault' };
  if (exit?.code === undefined) return { word: 'Nobody saw its end', tone: 'attention' };
  return { word: `Exit code ${exit.code}`, tone: exit.code === 0 ? 'good' : 'fault' };
}

const columns: Column<Run>[] = [
  { label: 'Run', cell: ({ id }) => <span className="wrap-anywhere font-medium">{id}</span> },
  {
    label: 'Result',
    cell: (run) => {
      const { word, tone } = resultOf(run);
      return (
        <span className="text-text">
          <Told of={run} tone={tone}>
            {word}
          </Told>
        </span>
      );
    },
    sort: (run) => resultOf(run).word,
    width: '12rem',
  },
  {
    label: 'Started',
    cell: ({ startedAt }) => (startedAt === undefined ? 'Not yet' : <ClockTime at={startedAt} />),
    sort: ({ startedAt }) => startedAt,
    width: '10rem',
    phone: 'labelled',
  },
  {
    label: 'Ended',
    cell: ({ exit }) => (exit === undefined ? '' : <ClockTime at={exit.at} />),
    sort: ({ exit }) => exit?.at,
    width: '10rem',
    phone: 'labelled',
  },
  {
    label: 'Took',
    cell: ({ startedAt, exit }) =>
      startedAt === undefined || exit === undefined ? '' : durationText(Date.parse(exit.at) - Date.parse(startedAt)),
    width: '6rem',
    phone: 'labelled',
  },
];
