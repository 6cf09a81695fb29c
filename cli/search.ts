import { command } from './engine/command.ts';
import { wholeNumberOf } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';

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
  run: async ({ limit, ...given }, words) => {
    const q = words.join(' ');
    const query = new URLSearchParams({ q, limit: String(wholeNumberOf('--limit', limit, 1, 50) ?? 20) });
    const { found } = await new Rest(given).call<{ found: Found[] }>('GET', `/search?${query}`);
    return listed({ found }, said`No name or id matches "${q}".`, {
      kind: 'kind',
      id: 'id',
      name: 'name',
      '': 'detail',
    });
  },
});
