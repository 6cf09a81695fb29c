import type { z } from 'zod';
import type { clusterEventSchema } from '../../api/cluster-events/operations.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';

type Event = z.output<typeof clusterEventSchema>;

export const clusterEvents = command({
  summary: 'Shows the events of a cluster, the latest last',
  usage: '[--cluster SLUG] [--tail N] [--json]',
  options: {
    tail: { type: 'string', value: 'N', what: 'The last N events; 50 by default.' },
    ...clusterOptions,
  },
  run: async ({ tail, ...given }) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, path } = await chosenCluster(given);
    const events = (await rest.all<Event>(`${path}/events`, most)).toReversed();
    if (given.json) process.stdout.write(`${JSON.stringify({ events }, undefined, 2)}\n`);
    else if (events.length === 0) process.stdout.write('Nothing has happened there yet.\n');
    else {
      const rows = events.map(({ at, kind, payload }) => [at, kind, printable(sayings(payload))]);
      process.stdout.write(asTable(['at', 'event', ''], rows));
    }
  },
});

function sayings(payload: Event['payload']): string {
  return Object.entries(payload ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
