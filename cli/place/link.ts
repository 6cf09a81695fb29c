import { command } from '../engine/command.ts';
import { said } from '../engine/table.ts';
import { type Belonging, writeBelonging } from './belonging.ts';
import { chosenEnvironment, chosenService, projectHere } from './chosen.ts';
import { serviceOptions } from './here.ts';

export const link = command({
  summary: 'Remembers in .ballast/project where this directory belongs',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `Commands of projects that are typed in this directory, or below it, are then for that project, service and environment,
unless an option says otherwise. The file holds no secrets and may be committed. A production environment that is
remembered here is for reading: to change something in production, name it by --environment each time.`,
  options: serviceOptions,
  run: async (given) => {
    const place = await projectHere(given);
    const { project, organization, wanted } = place;
    const belonging: Belonging = {
      organization: organization.slug,
      project: project.slug,
      ...(wanted.service !== undefined && { service: (await chosenService(place, project)).slug }),
      ...(wanted.environment !== undefined && {
        environment: (await chosenEnvironment(place, project, { change: false })).slug,
      }),
    };
    const written = writeBelonging(process.cwd(), belonging);
    const text = written === undefined ? '.ballast/project says so already.' : said`${written} says so now.`;
    return { json: belonging, text };
  },
});
