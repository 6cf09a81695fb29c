import type { z } from 'zod';
import type { environmentLogLineSchema } from '../../api/logs/stream-environment-logs.ts';
import type { instanceSchema } from '../../api/workloads/workload.ts';
import { chosenCluster, clusterOptions } from '../cluster.ts';
import { command } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/given.ts';
import { tellReaderGone, untilInterrupted } from '../engine/interrupted.ts';
import { LostConnection, type Rest, RestRefusal } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import { chosenService, environmentHere } from '../place/chosen.ts';
import { serviceOptions } from '../place/here.ts';
import { borderText, inOrder, LinesInOrder, type LogLine, type RunEnd, readLogs } from './read-logs.ts';

type Line = z.output<typeof environmentLogLineSchema>;

/** Streams that end at once, one after the other, are not opened more often than this. */
const againMillis = 1_000;

export const logs = command({
  summary: "Shows the logs of an environment's services",
  usage: '[SERVICE] [-f] [--tail N] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--json]',
  details: `Lines of all instances, each with its time, service and instance; with -f also those of instances that start
meanwhile. The whole log of one instance, with the ends of its runs, is shown by \`./ballast cluster logs INSTANCE\`.`,
  options: {
    follow: { type: 'boolean', short: 'f', what: 'Keep printing new lines.' },
    tail: { type: 'string', value: 'N', what: 'Start with the last N lines of each instance; 100 by default.' },
    ...serviceOptions,
  },
  run: async ({ follow = false, tail, ...given }, [word]) => {
    const lines = wholeNumberOf('--tail', tail, 0, 10_000) ?? 100;
    const named = word ?? given.service;
    const place = await environmentHere({ ...given, service: named }, { change: false });
    const { rest, project, environment } = place;
    const service = named === undefined ? undefined : await chosenService(place, project);
    const query = new URLSearchParams({
      tail: String(lines),
      follow: String(follow),
      ...(service !== undefined && { serviceId: service.id }),
    });
    const { signal } = untilInterrupted();
    // The last lines of each instance come as they are found, those of the newest ones first.
    const inOrder = new LinesInOrder<Line>(follow, (line) => {
      process.stdout.write(given.json ? `${JSON.stringify(line)}\n` : environmentLine(line));
    });
    try {
      const path = `/environments/${environment.id}/logs/stream?${query}`;
      await read(rest, path, signal, follow, (line) => inOrder.add(line));
    } finally {
      inOrder.end();
    }
    tellReaderGone();
  },
});

/** A stream that was cut or that reached the end of its lifetime is opened again, and lines that were printed are passed over. */
async function read(
  rest: Rest,
  path: string,
  signal: AbortSignal,
  follow: boolean,
  print: (line: Line) => void,
): Promise<void> {
  const printed = new Map<string, number>();
  for (let opened = Date.now(); !signal.aborted; opened = Date.now()) {
    let whole = false;
    try {
      for await (const { event, data } of rest.events(path, signal)) {
        if (event === 'note') process.stderr.write(said`ballast: ${String(data.message)}\n`);
        if (event !== 'log') continue;
        const line = data as unknown as Line;
        if (isNew(printed, line)) print(line);
      }
      whole = true;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LostConnection)) throw error;
      process.stderr.write(`ballast: ${error.message.replace(/\.$/, '')}; the log is read on from there.\n`);
    }
    if (whole && !follow) return;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, opened + againMillis - Date.now())));
  }
}

function isNew(printed: Map<string, number>, { instance, stream, position }: Line): boolean {
  const key = `${instance} ${stream}`;
  const last = printed.get(key);
  if (last !== undefined && position <= last) return false;
  printed.set(key, position);
  return true;
}

function environmentLine({ at, serviceName, instance, text }: Line): string {
  return `${said`${at} ${serviceName} ${instance}`} ${text}\n`;
}

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
      throw new RestRefusal(said`${wanted} has ${ids.length} instances; follow one of them by its id.`);
    }
    const { stop, signal } = untilInterrupted();
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
    tellReaderGone();
  },
});

function asText(told: LogLine | RunEnd, isWorkload: boolean, times: boolean): string {
  const { instance, at } = told;
  const text = 'exit' in told ? borderText(told) : told.text;
  const time = isWorkload || times ? `${at ?? '-'.padEnd(24)} ` : '';
  return `${time}${isWorkload ? said`${instance} ` : ''}${text}\n`;
}

/** The ids of what somebody called by the id of an instance, or by the name of a workload. */
async function meant(rest: Rest, path: string, wanted: string): Promise<{ ids: string[]; isWorkload: boolean }> {
  const instances = await rest.all<Instance>(`${path}/instances`);
  if (instances.some(({ id }) => id === wanted)) return { ids: [wanted], isWorkload: false };
  const ids = instances.filter(({ workload }) => workload === wanted).map(({ id }) => id);
  if (ids.length > 0) return { ids, isWorkload: true };
  throw new RestRefusal(said`There is no instance and no workload "${wanted}" there; see \`./ballast cluster ps\`.`);
}
