import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import type { Project } from '../place/chosen.ts';

export const projectList = command({
  summary: 'Lists the projects of the organization',
  usage: '[--query TEXT] [--json]',
  options: {
    query: { type: 'string', short: 'q', value: 'TEXT', what: 'Only those with these words in name or description.' },
    ...restOptions,
  },
  run: async ({ query: q, ...given }) => {
    const projects = await new Rest(given).all<Project>('/projects', undefined, q === undefined ? {} : { q });
    if (given.json) process.stdout.write(`${JSON.stringify({ projects }, undefined, 2)}\n`);
    else if (projects.length === 0 && q !== undefined) process.stdout.write('There are no such projects.\n');
    else if (projects.length === 0) process.stdout.write('There is no project yet; see `./ballast deploy --help`.\n');
    else {
      const rows = projects.map(({ slug, name, owner, team, description }) => [
        slug,
        printable(name),
        printable(team?.name ?? owner?.name ?? ''),
        printable(description),
      ]);
      process.stdout.write(asTable(['slug', 'name', 'owner', 'description'], rows));
    }
  },
});
