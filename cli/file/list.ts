import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService, type Service } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';

export const fileList = command({
  summary: 'Lists the files of a service, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'Staged ones are in it.',
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const { id, slug } = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: false });
    const { files } = await place.rest.call<Service>('GET', `/services/${id}?environmentId=${environment.id}`);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ files }, undefined, 2)}\n`);
    if (files.length === 0) return void process.stdout.write(`${slug} has no files in ${environment.slug}.\n`);
    process.stdout.write(
      asTable(
        ['file', 'made of'],
        files.map(({ path, variable }) => [printable(path), variable]),
      ),
    );
  },
});
