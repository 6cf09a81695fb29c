import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import type { Cluster } from './chosen-cluster.ts';

export const clusterList = command({
  summary: 'Lists the clusters of the organization',
  usage: '[--query TEXT] [--json]',
  options: {
    query: { type: 'string', short: 'q', value: 'TEXT', what: 'Only those with these words in their name or region.' },
    ...restOptions,
  },
  run: async ({ query: q, ...given }) => {
    const clusters = await new Rest(given).all<Cluster>('/clusters', undefined, q === undefined ? {} : { q });
    if (given.json) process.stdout.write(`${JSON.stringify({ clusters }, undefined, 2)}\n`);
    else if (clusters.length === 0 && q !== undefined) process.stdout.write('There are no such clusters.\n');
    else if (clusters.length === 0) process.stdout.write('There is no cluster yet; see `./ballast cluster create`.\n');
    else {
      const rows = clusters.map(({ slug, name, status, driver, agentVersion, lastHeartbeatAt }) => [
        slug,
        printable(name),
        status,
        driver,
        printable(agentVersion),
        lastHeartbeatAt ?? 'never',
      ]);
      process.stdout.write(asTable(['slug', 'name', 'status', 'driver', 'agent', 'heard of'], rows));
    }
  },
});
