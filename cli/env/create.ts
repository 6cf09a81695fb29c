import type { Cluster } from '../cluster/chosen-cluster.ts';
import { command, UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { chosenProject, type Environment, meant } from '../place/chosen.ts';
import { here, projectOptions } from '../place/here.ts';

export const envCreate = command({
  summary: 'Creates an environment in a project',
  usage: 'NAME [--production] [--cluster SLUG] [--project PROJECT] [--json]',
  details: 'Changes to a production environment wait for an approval.',
  words: { least: 1, most: 1 },
  options: {
    production: { type: 'boolean', what: 'Changes there wait for an approval.' },
    cluster: { type: 'string', value: 'SLUG', what: 'Where its services run; else the recommended cluster.' },
    ...projectOptions,
  },
  run: async ({ production = false, cluster, ...given }, [name = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const clusterId = cluster === undefined ? undefined : await clusterNamed(place.rest, cluster);
    const body = { name, production, ...(clusterId === undefined ? {} : { clusterId }) };
    const made = await place.rest.call<Environment>('POST', `/projects/${project.id}/environments`, body);
    if (given.json) process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    else process.stdout.write(`${project.slug} has the environment ${made.slug}.\n`);
  },
});

async function clusterNamed(rest: Awaited<ReturnType<typeof here>>['rest'], word: string): Promise<string> {
  const clusters = await rest.all<Cluster>('/clusters');
  const found = meant(clusters, word);
  if (found !== undefined) return found.id;
  const there = clusters.map(({ slug }) => slug).join(', ');
  throw new UsageError(`There is no cluster "${printable(word)}"; there is: ${there === '' ? 'none' : there}.`);
}
