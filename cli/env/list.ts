import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenProject, type Environment } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';

export const envList = command({
  summary: 'Lists the environments of a project',
  usage: '[--project PROJECT] [--json]',
  options: projectOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environments = await place.rest.all<Environment>(`/projects/${project.id}/environments`);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ environments }, undefined, 2)}\n`);
    if (environments.length === 0) {
      return void process.stdout.write(`${project.slug} has no environment; see \`./ballast env create --help\`.\n`);
    }
    const rows = environments.map(({ slug, name, production, kind, clusterId, createdAt }) => [
      slug,
      printable(name),
      production ? 'production' : kind,
      clusterId ?? 'no cluster yet',
      createdAt,
    ]);
    process.stdout.write(asTable(['slug', 'name', 'kind', 'cluster', 'created'], rows));
  },
});
