import { command, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenProject, type Project } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';

export const projectSet = command({
  summary: 'Changes the name of a project, its description, or how many deployments it runs at once',
  usage: '[--name NAME] [--description TEXT] [--deploy-concurrency N] [--project PROJECT] [--json]',
  options: {
    name: { type: 'string', value: 'NAME', what: 'Its name; its slug stays.' },
    description: { type: 'string', value: 'TEXT', what: 'Its purpose, in a sentence; empty for none.' },
    'deploy-concurrency': { type: 'string', value: 'N', what: 'So many deployments run at once, 1 to 100.' },
    ...projectOptions,
  },
  run: async (given) => {
    const { name, description } = given;
    const deployConcurrency = wholeNumberOf('--deploy-concurrency', given['deploy-concurrency'], 1, 100);
    const body = Object.fromEntries(
      Object.entries({ name, description, deployConcurrency }).filter(([, value]) => value !== undefined),
    );
    if (Object.keys(body).length === 0) {
      throw new UsageError('Nothing to change: give --name, --description or --deploy-concurrency.');
    }
    const place = await here(given);
    const { id } = await chosenProject(place);
    const changed = await place.rest.call<Project>('PATCH', `/projects/${id}`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify(changed, undefined, 2)}\n`);
    process.stdout.write(`${changed.slug} is changed; it runs ${changed.deployConcurrency} deployments at once.\n`);
  },
});
