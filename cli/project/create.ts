import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import type { Environment, Project } from '../place/chosen.ts';

export const projectCreate = command({
  summary: 'Creates a project with a production and a staging environment',
  usage: 'NAME [--description TEXT] [--json]',
  words: { least: 1, most: 1 },
  options: { description: { type: 'string', value: 'TEXT', what: 'Its purpose, in a sentence.' }, ...restOptions },
  run: async ({ description, ...given }, [name = '']) => {
    const body = description === undefined ? { name } : { name, description };
    const made = await new Rest(given).call<{ project: Project; environments: Environment[] }>(
      'POST',
      '/projects',
      body,
    );
    if (given.json) return void process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    const environments = made.environments.map(({ slug }) => slug).join(' and ');
    process.stdout.write(`The project ${made.project.slug} has the environments ${printable(environments)}.\n`);
  },
});
