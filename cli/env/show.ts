import { command } from '../engine/command.ts';
import { asLines } from '../engine/table.ts';
import { chosenEnvironment, chosenProject } from '../place/chosen.ts';
import { environmentOptions, here } from '../place/here.ts';

export const envShow = command({
  summary: 'Shows the facts of an environment',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: 'Its services, with what runs and where it answers, are shown by `./ballast status`.',
  options: environmentOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    if (given.json) return void process.stdout.write(`${JSON.stringify(environment, undefined, 2)}\n`);
    const { id, slug, name, production, kind, namespace, clusterId, gitBranch, autoDeploy, createdAt } = environment;
    process.stdout.write(
      asLines([
        ['environment', `${slug} "${name}" ${id}`],
        ['project', project.slug],
        ['kind', production ? 'production: changes wait for an approval' : kind],
        ['namespace', namespace],
        ['cluster', clusterId ?? 'none chosen yet'],
        ['branch', gitBranch],
        ['deploys', autoDeploy ? 'builds of its branch' : 'only when told'],
        ['created', createdAt],
      ]),
    );
  },
});
