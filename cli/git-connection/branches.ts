import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { connections, namedConnection } from './connection.ts';

export const gitConnectionBranches = command({
  summary: 'Lists the branches of a repository of a Git connection',
  usage: 'CONNECTION REPOSITORY [--json]',
  details:
    'CONNECTION is its label or its id, REPOSITORY a full name such as team/app. An asterisk marks the default branch.',
  words: { least: 2, most: 2 },
  options: restOptions,
  run: async (given, [name = '', repository = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const path = `${connections}/${id}/branches?${new URLSearchParams({ repository })}`;
    const told = await rest.call<{ branches: string[]; defaultBranch: string }>('GET', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify(told, undefined, 2)}\n`);
    for (const branch of told.branches) {
      process.stdout.write(`${branch === told.defaultBranch ? '*' : ' '} ${printable(branch)}\n`);
    }
  },
});
