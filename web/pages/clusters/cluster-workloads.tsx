import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyBlock } from '../../components/copyable.tsx';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { isOutOfContact } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { type WorkloadAnswer, WorkloadStatus } from '../instances/instance-state.tsx';
import { logLink } from '../instances/log/log-link.ts';
import type { ClusterAnswer } from './cluster-status.tsx';

const route = getRouteApi('/$organization/clusters/$cluster');

/** Workloads of a cluster, and whether each is running. */
export function ClusterWorkloads({ cluster }: { cluster: ClusterAnswer }) {
  const { trpc } = usePlane();
  const { id, slug } = cluster;
  const mayApply = useMay('admin');
  const workloads = usePages(trpc.workloads.list, { path: { id }, query: { limit: 100 }, id: ({ key }) => key });
  return (
    <Section title="Workloads">
      <LoadedPages
        pages={workloads}
        empty={
          <EmptyState icon={<ContainerIcon />} title="No workloads yet">
            A workload is an image with its processes, environment and volumes, described in a file.
            {mayApply && (
              <div className="mt-4 text-left">
                <CopyBlock text={`./ballast cluster apply shop.yaml --cluster ${slug}`} label="command" />
              </div>
            )}
          </EmptyState>
        }
      >
        {(items) => (
          <Rows label="Workloads">
            {items.map((workload) => (
              <WorkloadRow key={workload.key} workload={workload} />
            ))}
          </Rows>
        )}
      </LoadedPages>
    </Section>
  );
}

function WorkloadRow({ workload }: { workload: WorkloadAnswer }) {
  const params = route.useParams();
  const { name, hosts, error, release, updatedAt } = workload;
  return (
    <Row
      title={name}
      detail={
        <>
          {error !== '' && <p className={isOutOfContact(workload) ? undefined : 'text-fault'}>{error}</p>}
          {hosts.length === 0 ? (
            <p>No host name</p>
          ) : (
            <ul aria-label={`Host names of ${name}`}>
              {hosts.map(({ host, url }) => (
                <li key={host} className="truncate">
                  {url === '' ? (
                    host
                  ) : (
                    <a
                      href={url}
                      target="_blank"
                      rel="noreferrer"
                      className="rounded-sm underline decoration-line underline-offset-3 hover:text-text hover:decoration-current"
                    >
                      {host}
                    </a>
                  )}
                </li>
              ))}
            </ul>
          )}
        </>
      }
      facts={
        <>
          <span className="text-text sm:w-42">
            <WorkloadStatus workload={workload} />
          </span>
          <Link
            to="/$organization/clusters/$cluster/instances"
            params={params}
            className="rounded-sm hover:text-text sm:w-32"
          >
            {runningText(workload)}
          </Link>
          <span className="sm:w-36">
            <span className="block truncate" title={release}>
              Release {release}
            </span>
            <Time at={updatedAt} />
          </span>
        </>
      }
      actions={
        <ButtonLink small {...logLink(params, { workload: name }, error === '' ? {} : { failing: true })}>
          Log
        </ButtonLink>
      }
    />
  );
}

/** Healthy instances of the desired number. Scheduled processes are not counted: they run only at their times. */
export function runningText({ processes, instances, asOf }: WorkloadAnswer): string {
  const wanted = processes.reduce((sum, { kind, replicas }) => sum + (kind === 'cron' ? 0 : replicas), 0);
  const well = instances.filter(({ state }) => state === 'ready' || state === 'running').length;
  const text = wanted === 0 && well === 0 ? 'No instances' : `${well} of ${wanted} instances`;
  return isOutOfContact({ asOf }) ? `Last known: ${text}` : text;
}
