import { command } from '../engine/command.ts';
import { here, serviceOptions } from '../place/here.ts';
import { placeToChange, tellDraft, volumeNamed } from './volumes.ts';

export const volumeRemove = command({
  summary: 'Stages that a volume is removed from an environment',
  usage: 'NAME [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `It is mounted no more with the next release. The data stay on the cluster, and a rollback to a release that mounts it has
them again.`,
  words: { least: 1, most: 1 },
  options: serviceOptions,
  run: async (given, [name = '']) => {
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const { id } = await volumeNamed(place, environment, service, name);
    await place.rest.call('DELETE', `/volumes/${id}?environmentId=${environment.id}`);
    await tellDraft(place, environment, given.json);
  },
});
