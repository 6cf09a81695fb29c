import { command } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { type Belonging, writeBelonging } from './belonging.ts';
import { chosenEnvironment, chosenProject, chosenService } from './chosen.ts';
import { here, serviceOptions } from './here.ts';

export const link = command({
  summary: 'Remembers in .ballast/project where this directory belongs',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `Commands of projects that are typed in this directory, or below it, are then for that project, service and environment,
unless an option says otherwise. The file holds no secrets and may be committed. A production environment that is
remembered here is for reading: to change something in production, name it by --environment each time.`,
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const { service, environment } = place.wanted;
    const belonging: Belonging = {
      organization: place.organization.slug,
      project: project.slug,
      ...(service === undefined ? {} : { service: (await chosenService(place, project)).slug }),
      ...(environment === undefined
        ? {}
        : { environment: (await chosenEnvironment(place, project, { change: false })).slug }),
    };
    const written = writeBelonging(process.cwd(), belonging);
    if (given.json) process.stdout.write(`${JSON.stringify(belonging, undefined, 2)}\n`);
    else if (written === undefined) process.stdout.write('.ballast/project says so already.\n');
    else process.stdout.write(`${printable(written)} says so now.\n`);
  },
});
