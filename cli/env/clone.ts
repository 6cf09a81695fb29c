import { command } from '../engine/command.ts';
import { chosenProject, type Environment } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';
import { environmentNamed } from './compare.ts';

export const envClone = command({
  summary: 'Creates an environment, and stages in it all that another one has',
  usage: 'SOURCE NAME [--production] [--project PROJECT] [--json]',
  details: `Services, settings and variables, with the values of secret ones, which nobody is shown. Nothing runs there until
\`./ballast deploy --staged\`. Data of volumes is not copied.`,
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
    const made = await place.rest.call<Environment>('POST', `/environments/${id}/clone`, { name, production });
    if (given.json) return void process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    process.stdout.write(`${project.slug} has the environment ${made.slug}, with all of ${slug} staged.\n`);
    process.stderr.write(`\`./ballast deploy --staged --environment ${made.slug}\` deploys it.\n`);
  },
});
