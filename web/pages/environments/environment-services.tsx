import { ContainerIcon, TableIcon, WorkflowIcon } from '@primer/octicons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { usePageAction } from '../../components/actions/use-page-action.tsx';
import { LoadingRows } from '../../components/loading.tsx';
import { Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table/table.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { wholeList } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { file } from '../../frame/page-file.ts';
import { useDeploymentTools } from '../deployments/deployment-actions.tsx';
import { promoteAction } from '../deployments/promotion/promote-action.tsx';
import { serviceColumns } from '../services/service-columns.tsx';
import { suspensionActions } from '../services/service-suspension.tsx';
import { sourceField } from '../services/source/source-field.tsx';
import type { ServiceAnswer } from '../services/use-service.ts';
import { type EnvironmentAnswer, useEnvironment } from './use-environment.ts';
import { isAdded, type ServiceOverview, useOverview, useOverviews } from './use-overview.ts';
import { useStaging } from './variables/use-staging.ts';

const views = [
  { label: 'Table', view: undefined, Sign: TableIcon },
  { label: 'Canvas', view: 'canvas', Sign: WorkflowIcon },
] as const;

/** The same services as a table or as a canvas. */
export function ViewChoice({ view: current }: { view: 'canvas' | undefined }) {
  return (
    <nav aria-label="View" className="flex rounded-md border border-soft-line bg-card p-0.5">
      {views.map(({ label, view, Sign }) => (
        <Link
          key={label}
          to="."
          search={(before) => ({ ...before, view, open: undefined }) as never}
          replace
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={view === current ? 'page' : undefined}
          className="flex h-7 items-center gap-1.5 rounded-sm px-2.5 text-sm text-soft hover:text-text aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-text max-sm:h-8.5"
        >
          <Sign size={14} />
          {label}
        </Link>
      ))}
    </nav>
  );
}

const route = getRouteApi('/$organization/p/$project/e/$environment/');
/** Half as large as all that every page waits for: only who looks at a canvas loads it. */
const CanvasView = lazy(() =>
  file(() => import('./canvas/canvas-view.tsx')).then((at) => ({ default: at.CanvasView })),
);

/** The services of an environment: how each is, and what is under way. */
export function EnvironmentServices() {
  return <Loaded query={useEnvironment()}>{(environment) => <Services environment={environment} />}</Loaded>;
}

function Services({ environment }: { environment: EnvironmentAnswer }) {
  const plane = usePlane();
  const { trpc } = plane;
  const params = route.useParams();
  const { view } = route.useSearch();
  const { id, projectId, name } = environment;
  const overview = useOverview(id);
  const { button, dialog } = usePageAction(
    'add',
    formAction({
      role: 'deployer',
      label: 'New service',
      title: `New service in ${name}`,
      operation: trpc.services.create,
      path: { id: projectId },
      start: { environmentId: id, source: { kind: 'image', imageRepository: '' } },
      fields: {
        name: { placeholder: 'Web' },
        source: sourceField({ ...params, projectId, builtIn: environment }) as never,
        environmentId: { control: () => null },
      },
      submit: 'Stage',
      succeeded: ({ service }) => `${service.name} staged`,
      touches: [trpc.changeSets.pathKey(), trpc.environments.pathKey()],
    }),
  );
  return (
    <Loaded query={overview}>
      {(services) => (
        <>
          <Section
            title="Services"
            bare={view === 'canvas' && services.length > 0}
            actions={
              services.length > 0 && (
                <div className="flex flex-wrap items-center gap-2">
                  <ViewChoice view={view} />
                  {button}
                </div>
              )
            }
          >
            {view === 'canvas' && services.length > 0 ? (
              <Suspense fallback={<LoadingRows />}>
                <CanvasView environment={environment} overviews={services} />
              </Suspense>
            ) : (
              <Table
                label="Services"
                pages={wholeList(services, ({ serviceId }) => serviceId)}
                columns={serviceColumns}
                name={({ serviceName }) => serviceName}
                actions={(service) => suspensionActions(service, environment, plane)}
                link={(service) =>
                  isAdded(service)
                    ? {
                        to: '/$organization/p/$project/e/$environment/s/$service',
                        params: { ...params, service: service.serviceSlug },
                      }
                    : undefined
                }
                empty={
                  <EmptyState icon={<ContainerIcon />} title="No services yet" action={button}>
                    A service runs an image, or what is built of a repository or a folder: a web server, a worker, a
                    key-value store.
                  </EmptyState>
                }
              />
            )}
            {dialog}
          </Section>
          <Elsewhere environment={environment} here={services} />
        </>
      )}
    </Loaded>
  );
}

interface ElsewhereProps {
  environment: EnvironmentAnswer;
  /** The services that are there. */
  here: readonly ServiceOverview[];
}

/** The services of the project that an environment lacks, each with the way to add it: none has to be created a second time. */
function Elsewhere({ environment, here }: ElsewhereProps) {
  const { trpc } = usePlane();
  const { projectId: id } = environment;
  const services = useList(trpc.services.list, { path: { id } }).items ?? [];
  const environments = useList(trpc.environments.list, { path: { id } }).items ?? [];
  const others = environments.filter((one) => one.id !== environment.id && one.kind === 'persistent');
  const there = new Set(here.map(({ serviceId }) => serviceId));
  const absent = services.filter((service) => !there.has(service.id));
  // Most environments lack nothing, and then nobody asks how the others are.
  const overviews = useOverviews(absent.length === 0 ? [] : others.map((one) => one.id));
  if (absent.length === 0) return null;
  return (
    <Section title="In other environments" about={`Services of this project that ${environment.name} lacks.`}>
      <Rows label="In other environments">
        {absent.map((service) => {
          const serves = others.findIndex((_, index) => runsIn(overviews[index], service.id) !== undefined);
          const release = runsIn(overviews[serves], service.id);
          const origin = others[serves];
          return (
            <Row
              key={service.id}
              title={service.name}
              detail={
                origin === undefined || release === undefined
                  ? 'Nothing of it is live'
                  : `Release ${release.number} in ${origin.name}`
              }
              actions={
                origin === undefined || release === undefined ? (
                  <StageHere service={service} environment={environment} />
                ) : (
                  <AddHere service={service} environment={environment} from={origin.name} release={release} />
                )
              }
            />
          );
        })}
      </Rows>
    </Section>
  );
}

interface Live {
  id: string;
  number: number;
}

function runsIn(overview: readonly ServiceOverview[] | undefined, serviceId: string): Live | undefined {
  const found = overview?.find((one) => one.serviceId === serviceId);
  const { activeReleaseId: id, activeReleaseNumber: number } = found ?? {};
  return id === undefined || number === undefined ? undefined : { id, number };
}

interface Placed {
  service: ServiceAnswer;
  environment: EnvironmentAnswer;
}

function AddHere({ service, environment, from, release }: Placed & { from: string; release: Live }) {
  const tools = useDeploymentTools();
  const named = { serviceId: service.id, serviceName: service.name, environmentName: from };
  const promotion = { ...named, releaseId: release.id, releaseNumber: release.number };
  return <OneAction action={promoteAction(promotion, environment, tools, { adds: true })} small />;
}

function StageHere({ service, environment }: Placed) {
  const { put } = useStaging(environment.id, {
    failed: `${service.name} could not be staged`,
    succeeded: `${service.name} staged`,
  });
  const body = { kind: 'service.create' as const, serviceId: service.id };
  return (
    <OneAction
      action={{
        role: 'deployer',
        label: `Stage in ${environment.name}`,
        act: () => put.send({ body, name: service.name }),
      }}
      small
    />
  );
}
