import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { connections, namedConnection } from './connection.ts';

interface Repository {
  fullName: string;
  defaultBranch: string;
  private: boolean;
}

export const gitConnectionRepositories = command({
  summary: 'Lists the repositories that a Git connection may read',
  usage: 'CONNECTION [TEXT] [--json]',
  details: 'CONNECTION is its label or its id, TEXT a part of the full name. At most 200 are listed.',
  words: { least: 1, most: 2 },
  options: restOptions,
  run: async (given, [name = '', q = '']) => {
    const rest = new Rest(given);
    const { id, provider } = await namedConnection(rest, name);
    const path = `${connections}/${id}/repositories?${new URLSearchParams({ q })}`;
    const { repositories } = await rest.call<{ repositories: Repository[] }>('GET', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ repositories }, undefined, 2)}\n`);
    if (repositories.length === 0) {
      const why = provider === 'plain' ? 'Its host has no list of repositories; name them.' : 'There is none.';
      return void process.stdout.write(`${why}\n`);
    }
    const rows = repositories.map((one) => [
      ...[printable(one.fullName), printable(one.defaultBranch) || '-', one.private ? 'private' : 'public'],
    ]);
    process.stdout.write(asTable(['repository', 'default branch', ''], rows));
  },
});
