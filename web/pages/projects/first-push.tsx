import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { CopyBlock } from '../../components/copyable.tsx';
import { Button } from '../../components/forms/button.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { useBySlug } from '../../control-plane/by-slug.ts';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';

const route = getRouteApi('/$organization/new-project');

interface FirstPushProps {
  project: string;
  environment: string;
}

/** How an image gets here, until the first deployment begins: by the button, or from a terminal. */
export function FirstPush({ project, environment }: FirstPushProps) {
  const { trpc } = usePlane();
  const one = useBySlug(trpc.projects.list, {}, project);
  const path = { id: one.data?.id ?? '' };
  const place = useBySlug(trpc.environments.list, { path }, environment, one.data !== undefined);
  return (
    <ThingPage query={one.isError ? { ...one, data: undefined } : place} noun="Project">
      {({ id, projectId }) => <Push project={project} environmentId={id} projectId={projectId} />}
    </ThingPage>
  );
}

function Push({ project, environmentId, projectId }: { project: string; environmentId: string; projectId: string }) {
  const { client, trpc } = usePlane();
  const { organization } = route.useParams();
  const navigate = useNavigate();
  const begun = useQuery(trpc.deployments.list.queryOptions({ query: { projectId, limit: 1 } })).data?.items[0]?.id;
  useEffect(() => {
    if (begun === undefined) return;
    void navigate({ to: '.', search: (before: object) => ({ ...before, deployment: begun }), replace: true } as never);
  }, [begun, navigate]);
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
