import type { z } from 'zod';
import type { suspensionSchema } from '../../api/services/suspension/suspension.ts';
import { command } from '../engine/command.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';

export type Suspension = z.output<typeof suspensionSchema>;

export const serviceSuspend = command({
  summary: 'Stops a service in an environment until it is resumed',
  usage: '[SERVICE] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `Its instances end and its schedules pause at once; volumes, addresses, settings and the live release stay. What is applied
meanwhile is stored and not started. In production it takes an admin's token. Refused while a deployment of it is under way.`,
  words: { least: 0, most: 1 },
  options: serviceOptions,
  run: async (given, [service]) => {
    const place = await here({ ...given, ...(service === undefined ? {} : { service }) });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug } = await chosenService(place, project);
    const body = { environmentId: environment.id };
    const suspension = await place.rest.call<Suspension>('POST', `/services/${id}/suspend`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify(suspension, undefined, 2)}\n`);
    process.stdout.write(
      `${slug} is suspended in ${environment.slug}: \`./ballast service resume\` starts it again.\n`,
    );
  },
});
