import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { OneAction } from '../../components/actions/one-action.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card, Fact, Facts, Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { LastKnown, Status, wordsOf } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { BriefTime } from '../../components/times/time.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useBuildTools } from '../builds/build-actions.tsx';
import { buildNow } from '../builds/list/build-now.tsx';
import { FailedBuild, UnderConstruction } from '../builds/unfinished-builds.tsx';
import { DeploymentStages } from '../deployments/deployment-stages.tsx';
import { DeploymentWhy, VisitorsGet } from '../deployments/deployment-why.tsx';
import { deploymentLink, kindWords, states } from '../deployments/deployment-words.ts';
import { ServingActions } from '../deployments/serving.tsx';
import type { ServiceOverview } from '../environments/use-overview.ts';
import { lifeColumns, nameColumn } from '../instances/instance-columns.tsx';
import { type InstanceAnswer, releaseOf } from '../instances/instance-state.tsx';
import { useInstances } from '../instances/use-instances.ts';
import { restartAction } from './processes/restart-process.tsx';
import { EveryAddress } from './service-addresses.tsx';
import { ServiceDrift, useDeployApplied } from './service-drift.tsx';
import { SuspendedNotice, SuspensionButton } from './service-suspension.tsx';
import { type Placed, useService, useServiceOverview } from './use-service.ts';
import { imageText, nowText, servedText } from './words/service-words.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service');

/** A service in an environment: what runs, where it answers, and what is under way. */
export function ServiceOverviewPage() {
  return <Loaded query={useService()}>{(placed) => <Overview {...placed} />}</Loaded>;
}

function Overview({ service, environment }: Placed) {
  const params = route.useParams();
  const overview = useServiceOverview({ service, environment });
  if (overview === undefined) {
    return (
      <>
        <UnderConstruction of={{ serviceId: service.id, environmentId: environment.id }} />
        <Card>
          <EmptyState title="Not deployed yet">
            {service.name} is staged in {environment.name}: review and deploy the staged changes above.
          </EmptyState>
        </Card>
      </>
    );
  }
  const { pendingDeployment, failedDeployment } = overview;
  return (
    <>
      <SuspendedNotice overview={overview} environment={environment} />
      <UnderConstruction of={{ serviceId: service.id, environmentId: environment.id }} />
      <FailedBuild of={{ serviceId: service.id, environmentId: environment.id }} />
      {pendingDeployment !== undefined && <UnderWay id={pendingDeployment.id} />}
      {pendingDeployment === undefined && failedDeployment !== undefined && <Failed failed={failedDeployment} />}
      {!overview.suspended && <VisitorsGet warnings={overview.warnings} />}
      {overview.drift && (
        <ServiceDrift
          service={service}
          environment={environment}
          count={overview.driftCount}
          suspended={overview.suspended}
        />
      )}
      <Section
        title="What runs"
        actions={
          <>
            {!overview.suspended && <Rolling {...{ service, environment, overview }} />}
            <SuspensionButton overview={overview} environment={environment} />
          </>
        }
      >
        <ServiceFacts overview={overview} image={imageText(service, params)} />
      </Section>
      <ServiceInstances service={service} environment={environment} />
    </>
  );
}

/** What makes something else of it run, or the same anew. */
function Rolling({ service, environment, overview }: Placed & { overview: ServiceOverview }) {
  const { trpc } = usePlane();
  const build = buildNow({ service, environment }, useBuildTools());
  const deploy = useDeployApplied({ service, environment });
  const query = { environmentId: environment.id };
  const { data } = useQuery(trpc.processes.list.queryOptions({ path: { id: service.id }, query }));
  const restarted = data?.items.filter(({ kind }) => kind !== 'cron') ?? [];
  const runs = overview.activeReleaseId !== undefined;
  return (
    <>
      {build !== undefined && <OneAction action={build} small />}
      {service.source.kind === 'image' && deploy !== undefined && <OneAction action={deploy} small />}
      <ServingActions of={{ serviceId: service.id, environmentId: environment.id }} />
      {runs && restarted.length > 0 && (
        <OneAction action={restartAction(service.name, restarted, environment.id)} small />
      )}
    </>
  );
}

/** The deployment that is under way, as far as it has come. */
function UnderWay({ id }: { id: string }) {
  const { trpc } = usePlane();
  const { organization } = route.useParams();
  const { data } = useQuery(trpc.deployments.get.queryOptions({ path: { id } }));
  if (data === undefined) return null;
  const { word, tone } = wordsOf(states, data.state);
  return (
    <>
      <Section bare>
        <p className="flex flex-wrap items-center gap-x-3">
          <Link {...deploymentLink(data, organization)} className="rounded-sm font-medium hover:underline">
            {kindWords[data.kind]}: release {data.releaseNumber}
          </Link>
          <Status tone={tone}>{word}</Status>
        </p>
      </Section>
      <DeploymentWhy deployment={data} />
      <DeploymentStages deployment={data} />
    </>
  );
}

/** Why the last one that came to a result did not go live. */
function Failed({ failed }: { failed: NonNullable<ServiceOverview['failedDeployment']> }) {
  const { trpc } = usePlane();
  const { organization } = route.useParams();
  const { data } = useQuery(trpc.deployments.get.queryOptions({ path: { id: failed.id } }));
  return (
    <>
      <Notice tone="fault" title={`Release ${failed.releaseNumber} did not go live`}>
        {data === undefined && failed.message !== '' && <p>{failed.message}</p>}
        <Link {...deploymentLink(failed, organization)} className="underline underline-offset-3">
          Show the deployment
        </Link>
      </Notice>
      {data !== undefined && <DeploymentWhy deployment={data} />}
    </>
  );
}

function ServiceFacts({ overview, image }: { overview: ServiceOverview; image: string }) {
  const { activeReleaseDigest, activeDeployedAt, replicasReady, replicasDesired } = overview;
  const now = nowText(overview);
  return (
    <Facts>
      <Fact label="Serves">
        {servedText(overview)}
        {activeDeployedAt !== undefined && !overview.suspended && (
          <span className="text-soft">
            , live since <BriefTime at={activeDeployedAt} />
          </span>
        )}
      </Fact>
      <Fact label="Address">
        <EveryAddress of={overview} inside={false} />
      </Fact>
      <Fact label="Within the environment">
        <EveryAddress of={overview} inside />
      </Fact>
      <Fact label="Instances">
        {replicasReady} of {replicasDesired} ready <LastKnown of={overview} />
      </Fact>
      <Fact label="Image">
        {image === '' ? 'None yet' : <span className="break-words">{image}</span>}
        {activeReleaseDigest !== '' && (
          <span className="block text-soft">
            runs <Copyable text={activeReleaseDigest} shown={`${activeReleaseDigest.slice(0, 19)}…`} label="digest" />
          </span>
        )}
      </Fact>
      {now !== '' && <Fact label="Now">{now}</Fact>}
    </Facts>
  );
}

/** The instances of a service in an environment, as its cluster's agent tells them. */
function ServiceInstances({ service, environment }: Placed) {
  const { project } = route.useParams();
  const { clusterId } = environment;
  if (clusterId === undefined) return null;
  return <On clusterId={clusterId} of={`${project}/${environment.slug}/${service.slug}`} />;
}

function On({ clusterId, of }: { clusterId: string; of: string }) {
  const { organization } = route.useParams();
  const { data } = useInstances(clusterId);
  if (data === undefined) return null;
  const own = data.filter(({ workload }) => workload === of);
  return (
    <Section title="Instances">
      <Table
        label="Instances"
        pages={wholeList(own, ({ id }) => id)}
        columns={columns}
        name={({ id }) => id}
        link={({ id: instance }) => ({
          to: '/$organization/clusters/$cluster/instances/$instance',
          params: { organization, cluster: clusterId, instance },
        })}
        empty={<EmptyState title="No instances">Nothing of it runs here now.</EmptyState>}
      />
    </Section>
  );
}

const columns: Column<InstanceAnswer>[] = [
  nameColumn,
  { label: 'Process', cell: ({ process }) => process, sort: ({ process }) => process, width: '8rem' },
  ...lifeColumns,
  {
    label: 'Release',
    cell: releaseOf,
    sort: ({ releaseNumber }) => releaseNumber,
    width: '6rem',
    phone: 'labelled',
  },
];
