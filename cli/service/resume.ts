import { exitCodesText } from '../deployment/outcome.ts';
import { seeThrough } from '../deployment/started.ts';
import { readWaiting, waitOptions } from '../deployment/waiting.ts';
import { command } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';
import type { Suspension } from './suspend.ts';

export const serviceResume = command({
  summary: 'Starts a suspended service again, with the release that ran',
  usage: `[SERVICE] [--project PROJECT] [--environment ENVIRONMENT] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `It needs no approval, since it runs what was approved; in production it takes an admin's token. What was applied meanwhile
is not part of it: \`./ballast service show\` tells that. ${exitCodesText}`,
  words: { least: 0, most: 1 },
  options: { ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [service]) => {
    const waiting = readWaiting(given);
    const place = await here({ ...given, ...(service === undefined ? {} : { service }) });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug } = await chosenService(place, project);
    const body = { environmentId: environment.id, queue: true };
    const suspension = await place.rest.call<Suspension>('POST', `/services/${id}/resume`, body);
    const { deployment } = suspension;
    if (deployment !== undefined) {
      const release = { id: deployment.releaseId, number: deployment.releaseNumber };
      const started = { deployment, release, superseded: [] };
      return await seeThrough(place, { project, environment }, started, waiting);
    }
    if (given.json) return void process.stdout.write(`${JSON.stringify(suspension, undefined, 2)}\n`);
    process.stdout.write(`${slug} is not suspended in ${environment.slug}.\n`);
  },
});
