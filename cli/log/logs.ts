import type { z } from 'zod';
import type { instanceSchema } from '../../api/workloads/workload.ts';
import { chosenCluster, clusterOptions } from '../cluster/chosen-cluster.ts';
import { command } from '../engine/command.ts';
import { readerGone } from '../engine/interrupted.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { borderText, type RunEnd } from './borders.ts';
import { inOrder } from './lines-in-order.ts';
import { type LogLine, readLogs } from './read-logs.ts';

type Instance = z.output<typeof instanceSchema>;
/** A credential may hold four streams at once. */
const mostAtOnce = 4;

export const clusterLogs = command({
  summary: 'Shows the logs of an instance, or of all instances of a workload',
  usage: 'INSTANCE|WORKLOAD [-f] [--tail N] [--times] [--cluster SLUG] [--json]',
  details: `All runs of an instance are in it, with a border behind each that says how it ended: "--- run 4 exited with code 1
after 2.3 s". Of a workload, the lines of all instances are ordered by time, each with its time and its instance. With --json,
each line carries its run, and a border is a line with "exit". The exit code is 1 when a log could not be read to
its end; with -f, the logs of other instances are read on meanwhile.`,
  words: { least: 1, most: 1 },
  options: {
    follow: { type: 'boolean', short: 'f', what: 'Keep printing new lines.' },
    tail: {
      type: 'string',
      value: 'N',
      what: 'Start with the last N lines of each instance; 100 by default.',
    },
    times: { type: 'boolean', what: 'Put the time before each line of an instance, too.' },
    ...clusterOptions,
  },
  run: async ({ follow = false, tail, times = false, ...given }, [wanted = '']) => {
    const lines = wholeNumberOf('--tail', tail, 0, 10_000) ?? 100;
    const { rest, path } = await chosenCluster(given);
    const { ids, isWorkload } = await meant(rest, path, wanted);
    if (follow && ids.length > mostAtOnce) {
      throw new RestRefusal(`${printable(wanted)} has ${ids.length} instances; follow one of them by its id.`);
    }
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    const signal = AbortSignal.any([stop.signal, readerGone.signal]);
    const logs = { rest, path, query: { tail: String(lines), follow: String(follow) }, signal };
    const read = async (id: string, add: (told: LogLine | RunEnd) => void) => {
      if (!(await readLogs(logs, id, add))) process.exitCode = 1;
    };
    const print = (line: LogLine | RunEnd) => {
      if (!signal.aborted)
        process.stdout.write(given.json ? `${JSON.stringify(line)}\n` : asText(line, isWorkload, times));
    };
    try {
      await inOrder({ ids, atOnce: mostAtOnce, live: follow }, read, print);
    } finally {
      // The control plane refuses to go on: streams of other instances would keep this process alive.
      stop.abort();
    }
    if (readerGone.signal.aborted) process.exitCode = 141;
  },
});

function asText(told: LogLine | RunEnd, isWorkload: boolean, times: boolean): string {
  const { instance, at } = told;
  const text = 'exit' in told ? borderText(told) : told.text;
  const time = isWorkload || times ? `${at ?? '-'.padEnd(24)} ` : '';
  return `${time}${isWorkload ? `${printable(instance)} ` : ''}${text}\n`;
}

/** The ids of what somebody called by the id of an instance, or by the name of a workload. */
async function meant(rest: Rest, path: string, wanted: string): Promise<{ ids: string[]; isWorkload: boolean }> {
  const instances = await rest.all<Instance>(`${path}/instances`);
  if (instances.some(({ id }) => id === wanted)) return { ids: [wanted], isWorkload: false };
  const ids = instances.filter(({ workload }) => workload === wanted).map(({ id }) => id);
  if (ids.length > 0) return { ids, isWorkload: true };
  throw new RestRefusal(
    `There is no instance and no workload "${printable(wanted)}" there; see \`./ballast cluster ps\`.`,
  );
}
