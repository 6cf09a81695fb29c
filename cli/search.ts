import { command } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';
import { wholeNumberOf } from './engine/whole-number-of.ts';

interface Found {
  kind: string;
  id: string;
  name: string;
  detail: string;
}

export const search = command({
  summary: 'Finds things of the organization by a part of their name, or by their id',
  usage: 'TEXT [--limit N] [--json]',
  details:
    'Members, teams, clusters, workloads, instances, tokens, invitations, CI jobs and workflows, the best match first: only those that the token may list.',
  options: {
    limit: { type: 'string', value: 'N', what: 'At most so many, up to 50; 20 by default.' },
    ...restOptions,
  },
  // A name of several words needs no quotes.
  words: { least: 1, most: 20 },
  run: async ({ limit, json, ...given }, words) => {
    const q = words.join(' ');
    const query = new URLSearchParams({ q, limit: String(wholeNumberOf('--limit', limit, 1, 50) ?? 20) });
    const { found } = await new Rest(given).call<{ found: Found[] }>('GET', `/search?${query}`);
    if (json) process.stdout.write(`${JSON.stringify({ found }, undefined, 2)}\n`);
    else if (found.length === 0) process.stdout.write(`No name or id matches "${printable(q)}".\n`);
    else {
      const rows = found.map(({ kind, id, name, detail }) => [kind, printable(id), printable(name), printable(detail)]);
      process.stdout.write(asTable(['kind', 'id', 'name', ''], rows));
    }
  },
});
