import { command } from '../engine/command.ts';
import { asLines, asTable, printable } from '../engine/table.ts';
import { chosenProject, type Environment, type Service } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';

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
