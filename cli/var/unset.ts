import { stageChanges, tellStaged } from '../change-set/stage-changes.ts';
import { command } from '../engine/command.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';

export const varUnset = command({
  summary: 'Stages that variables of a service are unset in an environment',
  usage: 'KEY … [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'They take effect with `./ballast deploy --staged`.',
  words: { least: 1, most: 500 },
  options: serviceOptions,
  run: async (given, keys) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const items = keys.map((key) => ({ kind: 'variable.unset' as const, serviceId: service.id, key }));
    tellStaged(await stageChanges(place.rest, environment, items), environment, given.json);
  },
});
