import type { z } from 'zod';
import type { variableSchema } from '../../api/variables/operations.ts';
import { buildTimeTitles } from '../../domain/variables/build-time.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from '../place/here.ts';

type Variable = z.output<typeof variableSchema>;

export const varList = command({
  summary: 'Lists the variables of an environment, applied and staged',
  usage: '[--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'Values of secret variables are never shown.',
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }) => {
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    const service = shared || place.wanted.service === undefined ? undefined : await chosenService(place, project);
    const filter: Record<string, string> = service === undefined ? {} : { serviceId: service.id };
    const all = await place.rest.all<Variable>(`/environments/${environment.id}/variables`, undefined, filter);
    const variables = all.filter(({ serviceId }) => !shared || serviceId === undefined);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ variables }, undefined, 2)}\n`);
    if (variables.length === 0) {
      const none = `${shared ? 'no shared' : 'no'} variables`;
      const told =
        service === undefined
          ? `${environment.slug} has ${none}`
          : `${service.slug} has ${none} in ${environment.slug}`;
      return void process.stdout.write(`${told}.\n`);
    }
    const rows = variables.map(({ serviceSlug, key, value, secret, buildTime, staged, updatedBy, updatedAt }) => [
      serviceSlug === '' ? '(shared)' : serviceSlug,
      printable(key),
      secret ? '(secret)' : printable(value),
      buildTimeTitles[buildTime].toLowerCase(),
      staged === undefined ? '' : `staged: ${staged}`,
      printable(updatedBy),
      updatedAt,
    ]);
    process.stdout.write(asTable(['service', 'key', 'value', 'seen at', '', 'by', 'changed'], rows));
  },
});
