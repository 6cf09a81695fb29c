import { stageChanges, tellStaged } from '../change-set/stage-changes.ts';
import { command } from '../engine/command.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from '../place/here.ts';

export const varUnset = command({
  summary: 'Stages that variables of a service are unset in an environment',
  usage: 'KEY … [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'They take effect with `./ballast deploy --staged`.',
  words: { least: 1, most: 500 },
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }, keys) => {
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = shared ? undefined : await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const of = service === undefined ? {} : { serviceId: service.id };
    const items = keys.map((key) => ({ kind: 'variable.unset' as const, ...of, key }));
    tellStaged(await stageChanges(place.rest, environment, items), environment, given.json);
  },
});
