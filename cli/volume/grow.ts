import { command } from '../engine/command.ts';
import { here, serviceOptions } from '../place/here.ts';
import { bytesOf } from './size.ts';
import { placeToChange, tellDraft, volumeNamed } from './volumes.ts';

export const volumeGrow = command({
  summary: 'Stages a larger size of a volume in an environment',
  usage: 'NAME SIZE [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `SIZE is a number of bytes, or with K, M, G or T. No instance is replaced by it. A volume only grows.`,
  words: { least: 2, most: 2 },
  options: serviceOptions,
  run: async (given, [name = '', size = '']) => {
    const sizeBytes = bytesOf(size);
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const { id } = await volumeNamed(place, environment, service, name);
    await place.rest.call('PATCH', `/volumes/${id}?environmentId=${environment.id}`, { sizeBytes });
    await tellDraft(place, environment, given.json);
  },
});
