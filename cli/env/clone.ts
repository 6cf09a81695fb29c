import type { z } from 'zod';
import type { clonedSchema } from '../../api/environments/copies.ts';
import { command } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { chosenProject, type Environment, type Service } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';
import { environmentNamed } from './compare.ts';

type Cloned = z.output<typeof clonedSchema>;

export const envClone = command({
  summary: 'Creates an environment, and stages in it all that another one has',
  usage: 'SOURCE NAME [--production] [--project PROJECT] [--json]',
  details: `Services, settings and variables, with the values of secret ones, which nobody is shown; out of production these are copied into
another production alone, and else named. Nothing runs there until \`./ballast deploy --staged\`. Data of volumes is not copied.`,
  words: { least: 2, most: 2 },
  options: {
    production: { type: 'boolean', what: 'Changes there wait for an approval.' },
    ...projectOptions,
  },
  run: async ({ production = false, ...given }, [source = '', name = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environments = await place.rest.all<Environment>(`/projects/${project.id}/environments`);
    const { id, slug } = environmentNamed(environments, source);
    const made = await place.rest.call<Cloned>('POST', `/environments/${id}/clone`, { name, production });
    if (given.json) return void process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    process.stdout.write(`${project.slug} has the environment ${made.slug}, with all of ${slug} staged.\n`);
    if (made.leftOut.length > 0) {
      const services = await place.rest.all<Service>(`/projects/${project.id}/services`);
      process.stderr.write(leftOutText(made, services));
    }
    process.stderr.write(`\`./ballast deploy --staged --environment ${made.slug}\` deploys it.\n`);
  },
});

function leftOutText({ leftOut, slug }: Cloned, services: readonly Service[]): string {
  const places = leftOut.map(({ serviceId, key }) => {
    const of = services.find(({ id }) => id === serviceId)?.slug;
    return `  ./ballast var set ${printable(key)} --secret ${of === undefined ? '--shared' : `--service ${of}`} --environment ${slug}\n`;
  });
  return `Secrets of production are not copied into what is not production. Give them values there:\n${places.join('')}`;
}
