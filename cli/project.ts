import type { z } from 'zod';
import type { projectDeletionImpactSchema } from '../api/projects/operations.ts';
import { defined } from '../domain/defined.ts';
import { type Losses, restorableDeletion, restorableOptions } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { wholeNumberOf } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asFacts, asTable, inParts, said } from './engine/table.ts';
import { type Environment, type Project, projectHere, type Service } from './place/chosen.ts';
import { projectOptions } from './place/here.ts';

export const projectCreate = command({
  summary: 'Creates a project with a production and a staging environment',
  usage: 'NAME [--description TEXT] [--json]',
  options: { description: { type: 'string', value: 'TEXT', what: 'Its purpose, in a sentence.' }, ...restOptions },
  run: async ({ description, ...given }, [name = '']) => {
    const made = await new Rest(given).call<{ project: Project; environments: Environment[] }>(
      'POST',
      '/projects',
      defined({ name, description }),
    );
    const environments = made.environments.map(({ slug }) => slug).join(' and ');
    return { json: made, text: said`The project ${made.project.slug} has the environments ${environments}.` };
  },
});

type Impact = z.output<typeof projectDeletionImpactSchema>;

export const projectDelete = command({
  summary: 'Deletes a project with its environments and services',
  usage: 'NAME [--wait] [--yes] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. It takes an admin's token.
Everything of it is kept for the retention: see \`./ballast deleted --help\`.`,
  options: { ...restorableOptions, ...restOptions },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    // The loss is great: the project is never guessed.
    const { rest, project } = await projectHere({ ...given, project: named });
    return await restorableDeletion(rest, 'project', project, { wait, yes }, lostWith);
  },
});

function lostWith({ environments, services, databases, volumes, ...impact }: Impact): Losses {
  const { inFlightDeployments, pendingApprovals, stagedChanges } = impact;
  return [
    [environments.length, `environments: ${environments.map(({ name }) => name).join(', ')}`],
    [services + databases, `services: ${services + databases}`],
    [volumes.count, `volumes kept until it is purged: ${volumes.count}`],
    [impact.backups.count, `backups of volumes, which stay in their stores: ${impact.backups.count}`],
    [inFlightDeployments, `deployments under way: ${inFlightDeployments}`],
    [pendingApprovals, `approvals closed: ${pendingApprovals}`],
    [stagedChanges, `staged changes discarded: ${stagedChanges}`],
  ];
}

export const projectList = command({
  summary: 'Lists the projects of the organization',
  usage: '[--query TEXT] [--json]',
  options: {
    query: { type: 'string', short: 'q', value: 'TEXT', what: 'Only those with these words in name or description.' },
    ...restOptions,
  },
  run: async ({ query: q, ...given }) => {
    const projects = await new Rest(given).all<Project>('/projects', undefined, defined({ q }));
    const none = 'There is no project yet; see `./ballast deploy --help`.';
    return listed({ projects }, q === undefined ? none : 'There are no such projects.', {
      slug: 'slug',
      name: 'name',
      owner: ownerOf,
      description: 'description',
    });
  },
});

function ownerOf({ team, owner }: Project): string | undefined {
  return team?.name ?? owner?.name;
}

export const projectSet = command({
  summary: 'Changes the name of a project, its description, or how many deployments it runs at once',
  usage: '[--name NAME] [--description TEXT] [--deploy-concurrency N] [--project PROJECT] [--json]',
  options: {
    name: { type: 'string', value: 'NAME', what: 'Its name; its slug stays.' },
    description: { type: 'string', value: 'TEXT', what: 'Its purpose, in a sentence; empty for none.' },
    'deploy-concurrency': { type: 'string', value: 'N', what: 'So many deployments run at once, 1 to 100.' },
    ...projectOptions,
  },
  run: async (given) => {
    const { name, description } = given;
    const deployConcurrency = wholeNumberOf('--deploy-concurrency', given['deploy-concurrency'], 1, 100);
    const body = defined({ name, description, deployConcurrency });
    if (Object.keys(body).length === 0) {
      throw new UsageError('Nothing to change: give --name, --description or --deploy-concurrency.');
    }
    const { rest, project } = await projectHere(given);
    const changed = await rest.call<Project>('PATCH', `/projects/${project.id}`, body);
    return {
      json: changed,
      text: `${changed.slug} is changed; it runs ${changed.deployConcurrency} deployments at once.`,
    };
  },
});

export const projectShow = command({
  summary: 'Shows a project with its environments and services',
  usage: '[--project PROJECT] [--json]',
  options: projectOptions,
  run: async (given) => {
    const { rest, project } = await projectHere(given);
    const [environments, services] = await Promise.all([
      rest.all<Environment>(`/projects/${project.id}/environments`),
      rest.all<Service>(`/projects/${project.id}/services`),
    ]);
    const { id, slug, name, description, deployConcurrency, createdAt } = project;
    const facts = asFacts({
      project: `${slug} "${name}" ${id}`,
      description,
      owner: ownerOf(project),
      'at once': `${deployConcurrency} deployments`,
      created: createdAt,
      services: services.map((service) => service.slug).join(', '),
    });
    const there = asTable(environments, '', {
      environment: 'slug',
      name: 'name',
      kind: ({ production, kind }) => (production ? 'production' : kind),
      namespace: 'namespace',
    });
    return { json: { project, environments, services }, text: inParts(facts, there) };
  },
});
