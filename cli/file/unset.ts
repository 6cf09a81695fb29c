import { draftOf, tellStaged } from '../change-set/stage-changes.ts';
import { command } from '../engine/command.ts';
import { here, serviceOptions } from '../place/here.ts';
import { placeToChange } from '../volume/volumes.ts';

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
