import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { CopyBlock } from '../../components/copyable.tsx';
import { Button, ButtonLink } from '../../components/forms/button.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { Card, Page, Section } from '../../components/page.tsx';
import { useBySlug, useList } from '../../control-plane/by-slug.ts';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { FailedBuild, UnderConstruction } from '../builds/unfinished-builds.tsx';
import { DeploymentStages } from '../deployments/deployment-stages.tsx';
import { DeploymentStatus } from '../deployments/deployment-status.tsx';
import { DeploymentFailure, DeploymentWhy } from '../deployments/deployment-why.tsx';
import { type DeploymentAnswer, deploymentLink } from '../deployments/deployment-words.ts';
import { useOverview } from '../environments/use-overview.ts';
import { ServiceAddresses } from '../services/service-addresses.tsx';
import { deployCommand } from '../services/source/source.ts';
import { NewProjectForm } from './new-project-form.tsx';

const route = getRouteApi('/$organization/new-project');

/** From an image, or code, to a running address: a form, then what comes of it, on one page. */
export function NewProject() {
  const { project, environment, from, deployment } = route.useSearch();
  return (
    <Page
      title="New project"
      about="An image or its code, a port, and where it runs. This page follows it until it answers."
    >
      {deployment !== undefined ? (
        <FirstDeployment id={deployment} />
      ) : project !== undefined && environment !== undefined ? (
        <FirstSource project={project} environment={environment} from={from ?? 'push'} />
      ) : (
        <Card>
          <div className="max-w-xl p-5">
            <NewProjectForm />
          </div>
        </Card>
      )}
    </Page>
  );
}

/** The first deployment of a new project, until it answers. */
function FirstDeployment({ id }: { id: string }) {
  const { trpc } = usePlane();
  const query = useQuery(trpc.deployments.get.queryOptions({ path: { id } }));
  return (
    <ThingPage query={query} noun="Deployment">
      {(deployment) => <Followed deployment={deployment} />}
    </ThingPage>
  );
}

function Followed({ deployment }: { deployment: DeploymentAnswer }) {
  const { organization } = route.useParams();
  const { project = '', environment = '' } = route.useSearch();
  const { state, serviceName, environmentName, environmentId, serviceId } = deployment;
  const service = useOverview(environmentId).data?.find((one) => one.serviceId === serviceId);
  const place = {
    to: '/$organization/p/$project/e/$environment',
    params: { organization, project, environment },
  } as const;
  return (
    <>
      <Section bare>
        <div aria-live="polite" className="flex flex-wrap items-center justify-between gap-3">
          <p className="flex flex-wrap items-center gap-x-3 text-base">
            {serviceName} in {environmentName} <DeploymentStatus deployment={deployment} />
          </p>
          <span className="flex flex-wrap items-center gap-2">
            {state === 'live' && service !== undefined && <ServiceAddresses of={service} strong />}
            {state === 'live' && (
              <ButtonLink to="/$organization/p/$project" params={{ organization, project }}>
                Go to the project
              </ButtonLink>
            )}
            {isDeploymentFinal(state) && <ButtonLink {...place}>Go to {environmentName}</ButtonLink>}
            {state === 'failed' && (
              <ButtonLink {...deploymentLink(deployment, organization)}>Show the deployment</ButtonLink>
            )}
          </span>
        </div>
      </Section>
      <DeploymentWhy deployment={deployment} />
      <DeploymentFailure deployment={deployment} />
      <DeploymentStages deployment={deployment} />
    </>
  );
}

interface FirstSourceProps {
  project: string;
  environment: string;
  from: 'push' | 'git' | 'folder';
}

/** How the first image comes about, until its deployment begins: it is pushed, or built of a repository or a folder. */
function FirstSource({ project, environment, from }: FirstSourceProps) {
  const { trpc } = usePlane();
  const one = useBySlug(trpc.projects.list, {}, project);
  const path = { id: one.data?.id ?? '' };
  const place = useBySlug(trpc.environments.list, { path }, environment, one.data !== undefined);
  return (
    <ThingPage query={one.isError ? { ...one, data: undefined } : place} noun="Project">
      {({ id, projectId }) => <Source {...{ project, environment, from, projectId }} environmentId={id} />}
    </ThingPage>
  );
}

interface Placed extends FirstSourceProps {
  projectId: string;
  environmentId: string;
}

function Source({ project, environment, from, projectId, environmentId }: Placed) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const begun = useQuery(trpc.deployments.list.queryOptions({ query: { projectId, limit: 1 } })).data?.items[0]?.id;
  const service = useList(trpc.services.list, { path: { id: projectId } }).items?.[0];
  useEffect(() => {
    if (begun === undefined) return;
    void navigate({ to: '.', search: (before: object) => ({ ...before, deployment: begun }), replace: true } as never);
  }, [begun, navigate]);
  const build = service && (
    <>
      <UnderConstruction of={{ serviceId: service.id, environmentId }} />
      <FailedBuild of={{ serviceId: service.id, environmentId }} />
    </>
  );
  if (from === 'push') return <Push project={project} environmentId={environmentId} />;
  if (from === 'git') {
    return (
      <>
        {build}
        <p className="text-pretty text-soft text-sm">
          It is deployed as soon as it is built; this page follows it. A failed build is repeated from its own page.
        </p>
      </>
    );
  }
  return (
    <>
      {build}
      <Section
        title="In the folder"
        about="Uploads it, builds it on the cluster and deploys it; this page follows. The token has the role deployer."
        bare
      >
        <CopyBlock
          text={`npm install --global ${location.origin}/api/v1/cli/ballast.tgz\nexport BALLAST_TOKEN=…\n${deployCommand({ project, environment, service: service?.slug ?? 'web' })}`}
          label="lines"
        />
      </Section>
    </>
  );
}

function Push({ project, environmentId }: { project: string; environmentId: string }) {
  const { client, trpc } = usePlane();
  const { organization } = route.useParams();
  const deploy = useChange(
    async (_: undefined, sent: Sent) => {
      const { changeSet } = await client.changeSets.draft.query({ path: { id: environmentId } });
      return await client.changeSets.applyDraft.mutate(
        { path: { id: changeSet.id }, body: { source: 'console' } },
        sent,
      );
    },
    {
      failed: 'The image could not be deployed',
      succeeded: 'Deployment started',
      quiet: true,
      touches: () => [trpc.deployments.pathKey()],
    },
  );
  const repository = `${location.host}/${organization}/${project}/web`;
  return (
    <>
      <Section title="Push the image" about="The password is an API token with the role deployer." bare>
        <div className="flex flex-col gap-3">
          <CopyBlock text={`docker login ${location.host} -u me\ndocker push ${repository}:latest`} label="lines" />
          <ProblemNotice problem={deploy.problem} />
          <div>
            <Button look="strong" busy={deploy.sending} onClick={() => deploy.send(undefined)}>
              It is pushed: deploy
            </Button>
          </div>
        </div>
      </Section>
      <Section title="Or from a terminal" about="Pushes and deploys at once; this page follows it." bare>
        <CopyBlock text={`ballast deploy --project ${project} --service web --image web:latest`} label="command" />
      </Section>
    </>
  );
}
