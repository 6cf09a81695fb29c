import type { z } from 'zod';
import type { suspensionSchema } from '../../api/services/suspension.ts';
import { command, UsageError } from '../engine/command.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';

export type Suspension = z.output<typeof suspensionSchema>;

export const serviceSuspend = command({
  summary: 'Stops a service in an environment until it is resumed',
  usage: '[SERVICE] [--cancel | --wait] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `Its instances end and its schedules pause at once; volumes, addresses, settings and the live release stay. What is applied
meanwhile is stored and not started. In production it takes an admin's token. While a deployment of it is under way, say by --cancel
or --wait what becomes of that; the service then stops with its end.`,
  words: { least: 0, most: 1 },
  options: {
    cancel: { type: 'boolean', what: 'Cancel the deployments of it that are under way or wait there.' },
    wait: { type: 'boolean', what: 'Let a rollout that has begun end by itself; those that wait are cancelled.' },
    ...serviceOptions,
  },
  run: async ({ cancel, wait, ...given }, [service]) => {
    if (cancel && wait) throw new UsageError('Give --cancel or --wait, not both.');
    const place = await here({ ...given, ...(service === undefined ? {} : { service }) });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug } = await chosenService(place, project);
    const ending = cancel ? 'cancel' : wait ? 'wait' : undefined;
    const body = { environmentId: environment.id, ...(ending === undefined ? {} : { deployments: ending }) };
    const suspension = await place.rest.call<Suspension>('POST', `/services/${id}/suspend`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify(suspension, undefined, 2)}\n`);
    const { deployment } = suspension;
    const until = deployment === undefined ? '' : `, once the deployment ${deployment.id} has ended`;
    process.stdout.write(
      `${slug} is suspended in ${environment.slug}${until}: \`./ballast service resume\` starts it again.\n`,
    );
  },
});
