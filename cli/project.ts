import type { z } from 'zod';
import type { projectDeletionImpactSchema } from '../api/projects/operations.ts';
import { defined } from '../domain/defined.ts';
import { confirmLoss, restorable, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asLines, asTable, printable } from './engine/table.ts';
import { wholeNumberOf } from './engine/whole-number-of.ts';
import { chosenProject, type Environment, type Project, type Service } from './place/chosen.ts';
import { here, projectOptions } from './place/here.ts';

export const projectCreate = command({
  summary: 'Creates a project with a production and a staging environment',
  usage: 'NAME [--description TEXT] [--json]',
  words: { least: 1, most: 1 },
  options: { description: { type: 'string', value: 'TEXT', what: 'Its purpose, in a sentence.' }, ...restOptions },
  run: async ({ description, ...given }, [name = '']) => {
    const body = description === undefined ? { name } : { name, description };
    const made = await new Rest(given).call<{ project: Project; environments: Environment[] }>(
      'POST',
      '/projects',
      body,
    );
    if (given.json) return void process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    const environments = made.environments.map(({ slug }) => slug).join(' and ');
    process.stdout.write(`The project ${made.project.slug} has the environments ${printable(environments)}.\n`);
  },
});

type Impact = z.output<typeof projectDeletionImpactSchema>;

export const projectDelete = command({
  summary: 'Deletes a project with its environments and services',
  usage: 'NAME [--wait] [--yes] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. It takes an admin's token.
Everything of it is kept for the retention: see \`./ballast deleted --help\`.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    ...yesOption(),
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    // The loss is great: the project is never guessed.
    const place = await here({ ...given, project: named });
    const project = await chosenProject(place);
    const { id, slug, name } = project;
    if (yes !== true) {
      const impact = await place.rest.call<Impact>('GET', `/projects/${id}/deletion-impact`);
      if (!(await confirmLoss({ noun: 'project', called: slug, name }, lostWith(impact)))) return;
    }
    await place.rest.call('DELETE', `/projects/${id}${wait === true ? '?wait=true' : ''}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(restorable('project', slug));
  },
});

function lostWith({ environments, services, databases, volumes, ...impact }: Impact): [number, string][] {
  const { inFlightDeployments, pendingApprovals, stagedChanges } = impact;
  return [
    [environments.length, `environments: ${printable(environments.map(({ name }) => name).join(', '))}`],
    [services + databases, `services: ${services + databases}`],
    [volumes.count, `volumes kept until it is purged: ${volumes.count}`],
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
    const projects = await new Rest(given).all<Project>('/projects', undefined, q === undefined ? {} : { q });
    if (given.json) process.stdout.write(`${JSON.stringify({ projects }, undefined, 2)}\n`);
    else if (projects.length === 0 && q !== undefined) process.stdout.write('There are no such projects.\n');
    else if (projects.length === 0) process.stdout.write('There is no project yet; see `./ballast deploy --help`.\n');
    else {
      const rows = projects.map(({ slug, name, owner, team, description }) => [
        slug,
        printable(name),
        printable(team?.name ?? owner?.name ?? ''),
        printable(description),
      ]);
      process.stdout.write(asTable(['slug', 'name', 'owner', 'description'], rows));
    }
  },
});

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
    const place = await here(given);
    const { id } = await chosenProject(place);
    const changed = await place.rest.call<Project>('PATCH', `/projects/${id}`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify(changed, undefined, 2)}\n`);
    process.stdout.write(`${changed.slug} is changed; it runs ${changed.deployConcurrency} deployments at once.\n`);
  },
});

export const projectShow = command({
  summary: 'Shows a project with its environments and services',
  usage: '[--project PROJECT] [--json]',
  options: projectOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const [environments, services] = await Promise.all([
      place.rest.all<Environment>(`/projects/${project.id}/environments`),
      place.rest.all<Service>(`/projects/${project.id}/services`),
    ]);
    if (given.json) {
      return void process.stdout.write(`${JSON.stringify({ project, environments, services }, undefined, 2)}\n`);
    }
    const { id, slug, name, description, owner, team, deployConcurrency, createdAt } = project;
    process.stdout.write(
      asLines([
        ['project', `${slug} "${name}" ${id}`],
        ['description', description],
        ['owner', team?.name ?? owner?.name ?? ''],
        ['at once', `${deployConcurrency} deployments`],
        ['created', createdAt],
        ['services', services.map((service) => service.slug).join(', ')],
      ]),
    );
    const rows = environments.map((environment) => [
      environment.slug,
      printable(environment.name),
      environment.production ? 'production' : environment.kind,
      environment.namespace,
    ]);
    if (rows.length > 0) process.stdout.write(`\n${asTable(['environment', 'name', 'kind', 'namespace'], rows)}`);
  },
});
