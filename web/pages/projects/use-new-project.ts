import { useState } from 'react';
import { type Sent, useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { ShownProblem } from '../../control-plane/problem.ts';
import type { Answers } from '../../control-plane/session.ts';

interface Wish {
  name: string;
  source: FirstSource;
  port: number;
  production: boolean;
}

interface Made {
  projectId: string;
  project: string;
  environments: Answers['projects']['create']['environments'];
  /** As it was staged last. */
  service?: { id: string; environmentId: string; of: Wish };
}

interface Step extends Wish {
  made: Made;
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
 * Creates a project, then its service with what was wished, then deploys it: each step sent once. After a refusal the project
 * is kept; `begin` names it as the form does now, and stages the service anew unless its wish is the same.
 */
export function useNewProject(
  done: (made: { project: string; environment: string }, deploymentId: string | undefined) => void,
): NewProject {
  const { client, trpc } = usePlane();
  const [made, setMade] = useState<Made>();
  const quiet = { failed: 'The project could not be created', quiet: true } as const;
  const end = (to: Step, deploymentId?: string) =>
    done({ project: to.made.project, environment: environmentOf(to).slug }, deploymentId);
  const apply = useChange(
    async (to: Step, sent: Sent) => {
      const { changeSet } = await client.changeSets.draft.query({ path: { id: environmentOf(to).id } });
      return await client.changeSets.applyDraft.mutate(
        { path: { id: changeSet.id }, body: { source: 'console' } },
        sent,
      );
    },
    { ...quiet, succeeded: 'Deployment started', done: ({ deployments: [first] }, to) => end(to, first?.id) },
  );
  // An image or a folder that has to be brought here first is deployed by who brings it.
  const goOn = (to: Step) => (isThere(to.source) ? apply.send(to) : end(to));
  const service = useChange(
    (to: Step, sent: Sent) =>
      client.services.create.mutate(
        {
          path: { id: to.made.projectId },
          body: {
            name: serviceName,
            environmentId: environmentOf(to).id,
            source: sourceOf(to.source),
            process: { port: to.port },
          },
        },
        sent,
      ),
    {
      ...quiet,
      succeeded: `${serviceName} staged`,
      done: ({ service: { id }, environmentId }, { made: before, ...of }) => {
        const now = { ...before, service: { id, environmentId, of } };
        setMade(now);
        goOn({ ...of, made: now });
      },
    },
  );
  const again = useChange(
    async ({ name, made: { projectId, service: staged } }: Step, sent: Sent) => {
      await client.projects.change.mutate({ path: { id: projectId }, body: { name } }, sent);
      if (staged === undefined) return;
      // A service that was never applied is deleted with the change that would have added it.
      const { items } = await client.changeSets.draft.query({ path: { id: staged.environmentId } });
      const item = items.find(({ kind, serviceId }) => kind === 'service.create' && serviceId === staged.id);
      if (item !== undefined) await client.changeSets.deleteItem.mutate({ path: { id: item.id } }, sent);
    },
    {
      ...quiet,
      succeeded: 'Staged anew',
      touches: () => [trpc.projects.pathKey()],
      done: (_, { made: { service: __, ...before }, ...wish }) => {
        setMade(before);
        service.send({ ...wish, made: before });
      },
    },
  );
  const project = useChange(({ name }: Wish, sent: Sent) => client.projects.create.mutate({ body: { name } }, sent), {
    ...quiet,
    succeeded: ({ project: { name } }) => `${name} created`,
    touches: () => [trpc.projects.pathKey()],
    done: ({ project: { id, slug }, environments }, wish) => {
      const now = { projectId: id, project: slug, environments };
      setMade(now);
      service.send({ ...wish, made: now });
    },
  });
  const steps = [project, again, service, apply];
  return {
    begin: (wish) => {
      for (const { reset } of steps) reset();
      if (made === undefined) project.send(wish);
      else if (JSON.stringify(made.service?.of) === JSON.stringify(wish)) goOn({ ...wish, made });
      else again.send({ ...wish, made });
    },
    sending: steps.some(({ sending }) => sending),
    problem: steps.find((step) => step.problem !== undefined)?.problem,
    made,
  };
}

/** The environments of a new project are one for production and one that is not. */
function environmentOf({ made, production }: Step) {
  const found = made.environments.find((one) => one.production === production) ?? made.environments[0];
  if (found === undefined) throw new Error(`The project ${made.project} has no environment.`);
  return found;
}

function isThere(source: FirstSource): boolean {
  return source.kind === 'git' || (source.kind === 'image' && source.imageRepository !== '');
}

function sourceOf(source: FirstSource) {
  if (source.kind !== 'image') return { ...source, builder: 'auto' as const, context: '', dockerfile: '', target: '' };
  // A tag alone is one of the service's own repository here.
  return { kind: source.kind, imageRepository: source.imageRepository || ':latest' };
}
