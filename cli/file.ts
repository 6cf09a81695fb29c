import { draftOf, tellStaged } from './change-set.ts';
import { command, UsageError } from './engine/command.ts';
import { asTable, printable } from './engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService, type Service } from './place/chosen.ts';
import { here, serviceOptions } from './place/here.ts';
import { placeToChange } from './volume.ts';

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

export const fileSet = command({
  summary: 'Stages a file of a service that is made of one of its variables',
  usage: 'PATH=VARIABLE [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `PATH is absolute, or from the directory that the program works in. Its user alone may read the file, and FILE_VARIABLE tells the
program where it is. Another value of the variable is another release. It takes effect with \`./ballast deploy --staged\`.`,
  words: { least: 1, most: 1 },
  options: serviceOptions,
  run: async (given, [word = '']) => {
    const at = word.lastIndexOf('=');
    if (at < 1) throw new UsageError(`"${printable(word)}" is not of the form PATH=VARIABLE, such as app.yml=CONFIG.`);
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const item = { kind: 'file.set', serviceId: service.id, key: word.slice(0, at), value: word.slice(at + 1) };
    await place.rest.call('PUT', `/environments/${environment.id}/change-set/items`, item);
    tellStaged(await draftOf(place.rest, environment), environment, given.json);
  },
});

export const fileUnset = command({
  summary: 'Stages that a service has a file no more',
  usage: 'PATH [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'The variable that it was made of stays.',
  words: { least: 1, most: 1 },
  options: serviceOptions,
  run: async (given, [key = '']) => {
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const item = { kind: 'file.unset', serviceId: service.id, key };
    await place.rest.call('PUT', `/environments/${environment.id}/change-set/items`, item);
    tellStaged(await draftOf(place.rest, environment), environment, given.json);
  },
});
