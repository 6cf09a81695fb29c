import type { z } from 'zod';
import type { variableChangeSchema } from '../../api/variables/operations.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, refuseBoth, serviceOptions, sharedOption } from '../place/here.ts';

type Change = z.output<typeof variableChangeSchema>;

export const varHistory = command({
  summary: 'Lists who changed a variable of a service, or a shared one, and when, newest first',
  usage: 'KEY [--project PROJECT] [--service SERVICE | --shared] [--environment ENVIRONMENT] [--json]',
  details: 'Changes that were applied. Values of secret variables are never shown.',
  words: { least: 1, most: 1 },
  options: { ...sharedOption, ...serviceOptions },
  run: async ({ shared = false, ...given }, [key = '']) => {
    refuseBoth(shared, given);
    const place = await here(given);
    const project = await chosenProject(place);
    const of: Record<string, string> = shared ? {} : { serviceId: (await chosenService(place, project)).id };
    const environment = await chosenEnvironment(place, project, { change: false });
    const path = `/environments/${environment.id}/variables/history`;
    const changes = await place.rest.all<Change>(path, undefined, { ...of, key });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ changes }, undefined, 2)}\n`);
    if (changes.length === 0) {
      return void process.stdout.write(`Nothing was applied to ${printable(key)} in ${environment.slug}.\n`);
    }
    const rows = changes.map(({ appliedAt, change, secret, from, to, stagedBy, appliedBy, message }) => [
      appliedAt,
      change,
      secret ? '(secret)' : printable(from),
      secret ? '(secret)' : printable(to),
      printable(stagedBy.name),
      printable(appliedBy.name),
      printable(message),
    ]);
    process.stdout.write(asTable(['applied', '', 'from', 'to', 'staged by', 'applied by', ''], rows));
  },
});
