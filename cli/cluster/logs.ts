import type { z } from 'zod';
import type { instanceSchema } from '../../api/workloads/workload.ts';
import { command } from '../engine/command.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';

type Instance = z.output<typeof instanceSchema>;
interface Wanted {
  path: string;
  query: URLSearchParams;
  json: boolean;
}

/** A credential may hold four streams at once. */
const mostAtOnce = 4;

export const clusterLogs = command({
  summary: 'Shows what an instance writes, or all instances of a workload',
  usage: 'INSTANCE|WORKLOAD [-f] [--tail N] [--cluster SLUG] [--json]',
  details: 'All runs of an instance are in it: what it wrote before it was started again stands above.',
  words: { least: 1, most: 1 },
  options: {
    follow: { type: 'boolean', short: 'f', what: 'Go on with what is written from now on.' },
    tail: { type: 'string', value: 'N', what: 'Begin with so many of the last lines; 100 if left out.' },
    ...clusterOptions,
  },
  run: async ({ follow = false, tail, ...given }, [wanted = '']) => {
    const lines = wholeNumberOf('--tail', tail, 0, 10_000) ?? 100;
    const { rest, path } = await chosenCluster(given);
    const instances = await meant(rest, path, wanted);
    if (follow && instances.length > mostAtOnce) {
      throw new RestRefusal(`${printable(wanted)} has ${instances.length} instances; follow one of them by its id.`);
    }
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    const query = new URLSearchParams({
      tail: String(lines),
      follow: String(follow),
    });
    const asked: Wanted = { path, query, json: given.json ?? false };
    const show = (id: string) =>
      showLogs(rest, asked, id, instances.length > 1 ? `${printable(id)} ` : '', stop.signal);
    if (follow) await Promise.all(instances.map(show));
    else for (const id of instances) await show(id);
  },
});

/** The ids of what somebody called by the id of an instance, or by the name of a workload. */
async function meant(rest: Rest, path: string, wanted: string): Promise<string[]> {
  const instances = await rest.all<Instance>(`${path}/instances`);
  if (instances.some(({ id }) => id === wanted)) return [wanted];
  const found = instances.filter(({ workload }) => workload === wanted).map(({ id }) => id);
  if (found.length > 0) return found;
  throw new RestRefusal(
    `There is no instance and no workload "${printable(wanted)}" there; see \`./ballast cluster ps\`.`,
  );
}

async function showLogs(
  rest: Rest,
  { path, query, json }: Wanted,
  id: string,
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  const place = `${path}/instances/${encodeURIComponent(id)}/logs/stream`;
  let asked = query;
  try {
    for (;;) {
      for await (const { event, data } of rest.events(`${place}?${asked}`, signal)) {
        if (event === 'end') {
          if (typeof data.message === 'string' && data.message !== '') {
            process.stderr.write(`ballast: ${printable(data.message)}\n`);
          }
          return;
        }
        if (event !== 'log') continue;
        if (json) process.stdout.write(`${JSON.stringify({ instance: id, ...data })}\n`);
        else process.stdout.write(`${prefix}${String(data.text)}\n`);
      }
      if (query.get('follow') !== 'true') return;
      process.stderr.write('ballast: The stream was closed and is opened anew; lines of that moment may be missing.\n');
      asked = new URLSearchParams({ ...Object.fromEntries(query), tail: '0' });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
