import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { allowedText, changeAllowedOptions, changeOfAllowed } from '../place/allowed-projects.ts';
import type { Project } from '../place/chosen.ts';
import { type Connection, connections, namedConnection } from './connection.ts';

export const gitConnectionSet = command({
  summary: 'Changes which projects may use a Git connection',
  usage: 'CONNECTION --project SLUG… | --all-projects | --no-project [--json]',
  details: `CONNECTION is its label or its id. Refused while a service of a project that would lose it is built from a repository of it. It takes an
admin's token.`,
  words: { least: 1, most: 1 },
  options: { ...changeAllowedOptions, ...restOptions },
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const change = await changeOfAllowed(rest, given);
    const { id, allProjects, projectIds } = await namedConnection(rest, name);
    const was = { allProjects, projectIds };
    const connection = await rest.call<Connection>('PATCH', `${connections}/${id}`, { ...change, was });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connection }, undefined, 2)}\n`);
    const projects = printable(allowedText(connection, await rest.all<Project>('/projects')));
    process.stdout.write(`Projects that may use the Git connection ${printable(connection.label)}: ${projects}.\n`);
  },
});
