import { command, UsageError } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';
import { acceptingDowntime, downtimeOption, tellDeclined } from './downtime.ts';
import { exitCodesText } from './outcome.ts';
import { type CreateResult, seeThrough } from './started.ts';
import { readWaiting, waitOptions } from './waiting.ts';

export const redeploy = command({
  summary: 'Rolls the live release of a service again, the same bytes',
  usage: `[SERVICE] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--accept-downtime]
  [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: exitCodesText,
  words: { least: 0, most: 1 },
  options: { ...downtimeOption, ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [word]) => {
    const waiting = readWaiting(given);
    if (word !== undefined && given.service !== undefined && word !== given.service)
      throw new UsageError('The service is named twice, and differently; leave one of the two out.');
    const place = await here({ ...given, service: word ?? given.service });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const service = await chosenService(place, project);
    const body = { environmentId: environment.id, queue: true };
    const started = await acceptingDowntime(given['accept-downtime'] ?? false, (downtime) =>
      place.rest.call<CreateResult>('POST', `/services/${service.id}/redeploy`, { ...body, ...downtime }),
    );
    if (started === undefined) return void tellDeclined();
    await seeThrough(place, { project, environment }, started, waiting);
  },
});
