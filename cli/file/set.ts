import { draftOf, tellStaged } from '../change-set/stage-changes.ts';
import { command, UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { here, serviceOptions } from '../place/here.ts';
import { placeToChange } from '../volume/volumes.ts';

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
