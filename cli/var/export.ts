import type { z } from 'zod';
import type { variableSchema } from '../../api/variables/operations.ts';
import { envTextOf } from '../../domain/variables/env-text.ts';
import { command } from '../engine/command.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';

type Variable = z.output<typeof variableSchema>;

export const varExport = command({
  summary: 'Prints the variables of a service in an environment as an env file',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `As they will be once what is staged is applied. Secret ones are left out: a comment names them. \`./ballast var import\`
reads the result.`,
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: false });
    const path = `/environments/${environment.id}/variables`;
    const found = await place.rest.all<Variable>(path, undefined, { serviceId: service.id });
    const variables = found.filter(({ staged }) => staged !== 'unset');
    const secrets = variables.filter(({ secret }) => secret).map(({ key }) => key);
    const plain = variables.filter(({ secret }) => !secret);
    if (given.json) {
      const values = Object.fromEntries(plain.map(({ key, value }) => [key, value]));
      return void process.stdout.write(`${JSON.stringify({ variables: values, secrets }, undefined, 2)}\n`);
    }
    const lines = [
      ...plain.map(({ key, value }) => envTextOf(key, value)),
      ...secrets.map((key) => `# ${key} is secret`),
    ];
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  },
});
