import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { Card, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { WithTimes } from '../../components/times/with-times.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { counted } from './counted.ts';
import { type InstanceAnswer, InstanceStatus, restartsOf } from './instance-state.tsx';

const route = getRouteApi('/$organization/clusters/$cluster');

/** Instances reported by the agent, by workload. */
export function ClusterInstances() {
  const { trpc } = usePlane();
  const { cluster: id } = route.useParams();
  const instances = usePages(trpc.workloads.instances, { path: { id }, query: { limit: 200 } });
  return (
    <LoadedPages
      pages={instances}
      empty={
        <Card>
          <EmptyState icon={<ContainerIcon />} title="No instances">
            Instances that the agent reports are listed here, each with its log.
          </EmptyState>
        </Card>
      }
    >
      {(items) =>
        [...Map.groupBy(items, ({ workload }) => workload)].map(([workload, ofWorkload]) => (
          <Section key={workload} title={workload}>
            <Rows label={`Instances of ${workload}`}>
              {ofWorkload.map((instance) => (
                <InstanceRow key={instance.id} instance={instance} />
              ))}
            </Rows>
          </Section>
        ))
      }
    </LoadedPages>
  );
}

function InstanceRow({ instance }: { instance: InstanceAnswer }) {
  const params = route.useParams();
  const restarts = restartsOf(instance);
  return (
    <Row
      title={instance.id}
      link={{
        to: '/$organization/clusters/$cluster/instances/$instance',
        params: { ...params, instance: instance.id },
      }}
      detail={
        <>
          <p>
            Process {instance.process}, release {instance.release}
          </p>
          {instance.message !== undefined && (
            <p className="text-pretty">
              <WithTimes text={instance.message} />
            </p>
          )}
        </>
      }
      facts={
        <>
          <span className="text-text sm:w-52">
            <InstanceStatus instance={instance} />
          </span>
          <span className="sm:w-28">
            {instance.startedAt === undefined ? 'Not started yet' : <Time at={instance.startedAt} />}
            <span className="block">{restarts === 0 ? 'never restarted' : counted(restarts, 'restart')}</span>
          </span>
          <span className="sm:w-24">
            <span className="block truncate" title={instance.node}>
              {instance.node}
            </span>
            {instance.memoryBytes !== undefined && <span className="block">{bytesText(instance.memoryBytes)}</span>}
          </span>
        </>
      }
    />
  );
}

/** "1.7 MB", "512 kB". */
function bytesText(bytes: number): string {
  for (const [unit, size] of units) {
    if (bytes >= size) return `${(bytes / size).toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
  }
  return `${bytes} B`;
}
const units = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;
