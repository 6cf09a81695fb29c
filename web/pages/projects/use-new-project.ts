import { useState } from 'react';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { ShownProblem } from '../../control-plane/problem.ts';

export interface Wish {
  name: string;
  source: FirstSource;
  port: number;
  production: boolean;
}

export interface Made {
  projectId: string;
  project: string;
  environmentId: string;
  environment: string;
  serviceId?: string;
}

/** An image, or what is built here: of a repository, or of a folder that the command line uploads. */
export type FirstSource =
  | { kind: 'image'; imageRepository: string }
  | { kind: 'git'; gitUrl: string }
  | { kind: 'upload' };

interface NewProject {
  begin: (wish: Wish) => void;
  sending: boolean;
  problem: ShownProblem | undefined;
  made: Made | undefined;
}

const serviceName = 'Web';

/**
 * Makes a project, then its service with what was wished, then deploys it: each step sent once. After a refusal the steps
 * that went well are kept, and `begin` goes on with the one that did not.
 */
export function useNewProject(done: (made: Made, deploymentId: string | undefined) => void): NewProject {
  const { client, trpc } = usePlane();
  const [made, setMade] = useState<Made>();
  const quiet = { failed: 'The project could not be made', quiet: true } as const;
  const apply = useChange(
    async ({ environmentId }: Made, sent: Sent) => {
      const { changeSet } = await client.changeSets.draft.query({ path: { id: environmentId } });
      return await client.changeSets.applyDraft.mutate(
        { path: { id: changeSet.id }, body: { source: 'console' } },
        sent,
      );
    },
    { ...quiet, succeeded: 'Deployment started', done: ({ deployments: [first] }, to) => done(to, first?.id) },
  );
  // An image or a folder that has to be brought here first is deployed by who brings it.
  const goOn = (to: Made & Wish) => (isThere(to.source) ? apply.send(to) : done(to, undefined));
  const source = useChange(
    ({ environmentId, serviceId = '', source: given }: Made & Wish, sent: Sent) =>
      client.services.change.mutate(
        { path: { id: serviceId }, query: { environmentId }, body: { source: sourceOf(given) } },
        sent,
      ),
    { ...quiet, succeeded: 'Source staged', done: (_, to) => goOn(to) },
  );
  const service = useChange(
    ({ projectId, environmentId, source: given, port }: Made & Wish, sent: Sent) =>
      client.services.create.mutate(
        {
          path: { id: projectId },
          body: { name: serviceName, environmentId, source: sourceOf(given), process: { port } },
        },
        sent,
      ),
    {
      ...quiet,
      succeeded: `${serviceName} staged`,
      done: ({ service: { id } }, to) => {
        const now = { ...to, serviceId: id };
        setMade(now);
        goOn({ ...to, ...now });
      },
    },
  );
  const project = useChange(({ name }: Wish, sent: Sent) => client.projects.create.mutate({ body: { name } }, sent), {
    ...quiet,
    succeeded: ({ project: { name } }) => `${name} created`,
    touches: () => [trpc.projects.pathKey()],
    done: ({ project: { id, slug }, environments }, wish) => {
      const environment = environments.find(({ production }) => production === wish.production) ?? environments[0];
      if (environment === undefined) return;
      const now = { projectId: id, project: slug, environmentId: environment.id, environment: environment.slug };
      setMade(now);
      service.send({ ...now, ...wish });
    },
  });
  const steps = [project, service, source, apply];
  return {
    begin: (wish) => {
      for (const { reset } of steps) reset();
      if (made === undefined) project.send(wish);
      else if (made.serviceId === undefined) service.send({ ...made, ...wish });
      else source.send({ ...made, ...wish });
    },
    sending: steps.some(({ sending }) => sending),
    problem: steps.find((step) => step.problem !== undefined)?.problem,
    made,
  };
}

function isThere(source: FirstSource): boolean {
  return source.kind === 'git' || (source.kind === 'image' && source.imageRepository !== '');
}

function sourceOf(source: FirstSource) {
  if (source.kind !== 'image') return { ...source, builder: 'auto' as const, context: '', dockerfile: '', target: '' };
  // A tag alone is one of the service's own repository here.
  return { kind: source.kind, imageRepository: source.imageRepository || ':latest' };
}
