import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, type Service } from '../place/chosen.ts';
import { environmentOptions, here } from '../place/here.ts';

export const serviceList = command({
  summary: 'Lists the services of a project, or those of one of its environments',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  options: environmentOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = place.named ? await chosenEnvironment(place, project, { change: false }) : undefined;
    const filter: Record<string, string> = environment === undefined ? {} : { environmentId: environment.id };
    const services = await place.rest.all<Service>(`/projects/${project.id}/services`, undefined, filter);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ services }, undefined, 2)}\n`);
    if (services.length === 0) {
      return void process.stdout.write('There is no service yet; see `./ballast deploy --help`.\n');
    }
    const rows = services.map(({ slug, name, source, dependsOn }) => [
      slug,
      printable(name),
      printable(source.imageRepository || source.gitUrl || source.repository),
      printable(dependsOn.join(' ')),
    ]);
    process.stdout.write(asTable(['slug', 'name', 'source', 'depends on'], rows));
  },
});
