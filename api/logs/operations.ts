import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { type LogRun, logCursor, logPosition, logStream } from '../../protocol/logs.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { pageBy } from '../engine/positions.ts';
import { instanceLogPath, logCursorText, logLineSchema, logRunSchema, presentLine, presentRun } from './log-line.ts';
import { cursorOf, cursorText, type LogTold } from './log-reader.ts';
import { readLog, readTogether, readWholeLog } from './read-log.ts';
import { streamEnvironmentLogs } from './stream-environment-logs.ts';

const listLogLines = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/logs',
  summary: 'List the log lines of an instance',
  description:
    'Oldest first, all runs of the instance, as far back as the machine keeps them. The last page is the one without `nextCursor`.',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['cluster-not-ready'],
  of: theCluster,
  path: instanceLogPath,
  result: logLineSchema
    .extend({
      missingFrom: logPosition
        .optional()
        .describe('Lines from this position on were deleted on the machine before they were read.'),
    })
    .meta({ id: 'InstanceLogPageLine' }),
  paged: { after: logCursor, defaultLimit: 200, maxLimit: 1000 },
  async handle({ found: cluster, path, page, server, signal }) {
    const wanted = { instance: path.instanceId, from: page.after };
    const lost = 'Part of the log was lost on its way: try again.';
    const items: (ReturnType<typeof presentLine> & { missingFrom?: number | undefined })[] = [];
    const missing = { stdout: undefined as number | undefined, stderr: undefined as number | undefined };
    let after = page.after;
    for await (const told of readWholeLog(server, cluster, wanted, signal, lost)) {
      if ('missing' in told) {
        missing[told.missing.stream] ??= told.missing.from;
        continue;
      }
      if ('run' in told) continue;
      // One more than fits says that there is a next page, which begins with it.
      if (items.length === page.limit) return { items, after };
      const { stream } = told.line;
      items.push({ ...presentLine(told.line), missingFrom: missing[stream] });
      missing[stream] = undefined;
      after = { ...told.cursor };
    }
    return { items, after: undefined };
  },
});

const listRuns = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/runs',
  summary: 'List the runs of an instance',
  description:
    'Newest first: each start with its exit and its place in the log. The agent notes the last 500; one of before 0.2 notes none.',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['cluster-not-ready'],
  of: theCluster,
  path: instanceLogPath,
  result: logRunSchema,
  paged: { after: z.int(), defaultLimit: 50, maxLimit: 500 },
  async handle({ found: cluster, path, page, server, signal }) {
    const wanted = { instance: path.instanceId, tail: 0 };
    const lost = 'Part of the answer was lost on its way: try again.';
    const runs = new Map<number, LogRun>();
    for await (const told of readWholeLog(server, cluster, wanted, signal, lost)) {
      if ('run' in told) runs.set(told.run.run, told.run);
    }
    const { after = Number.POSITIVE_INFINITY } = page;
    const older = [...runs.values()].filter(({ run }) => run < after).sort((one, other) => other.run - one.run);
    return pageBy(older, page, ({ run }) => run, presentRun);
  },
});

const missingSchema = z
  .object({
    stream: logStream,
    from: logPosition.describe('The position of the first line that is missing.'),
    to: logPosition.describe('The position behind the last one.'),
  })
  .meta({ id: 'InstanceLogMissing' });
const endSchema = z
  .object({ message: z.string().describe('Why the stream ends early; empty if it is complete.') })
  .meta({ id: 'InstanceLogEnd' });

const streamLogs = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/logs/stream',
  summary: 'Stream the logs of an instance',
  description:
    'One stream of all runs: lines from before a restart included. Each event has an `id`; a stream that begins `after` it (or with it as `Last-Event-ID`) continues there, without a line twice or left out. `run`: one begins here or, with `exit`, ended here; runs before the first line come first. `missing`: lines were deleted on the machine before they were read. Ends after `end`: at once without `follow`, otherwise when the instance is deleted.',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['cluster-not-ready'],
  of: theCluster,
  path: instanceLogPath,
  query: z.strictObject({
    tail: z.int().min(0).max(10_000).default(100).describe('How many of the last lines to start with.'),
    after: logCursorText.optional().describe('The id of the last event that was read; `tail` does not count then.'),
    before: logCursorText
      .optional()
      .describe(
        'The id of an event: the last `tail` lines up to it, which included. `after` and `follow` do not count then.',
      ),
    follow: z.boolean().default(false).describe('Whether to keep streaming new lines.'),
  }),
  stream: { kind: 'other', events: { log: logLineSchema, run: logRunSchema, missing: missingSchema, end: endSchema } },
  async *handle({ found: cluster, path, query: { tail, after, before, follow }, server, signal }) {
    const start = after === undefined || before !== undefined ? { tail } : { from: cursorOf(after) };
    const end = before === undefined ? { follow } : { to: cursorOf(before), follow: false };
    const reading = readLog(server, cluster, { instance: path.instanceId, ...start, ...end }, signal);
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done) {
        // Without an end the reader continues behind the last event.
        if (next.value !== undefined) yield { event: 'end', data: next.value };
        return;
      }
      const told = next.value;
      const id = cursorText(told.cursor);
      if ('line' in told) yield { event: 'log', data: presentLine(told.line), id };
      else if ('run' in told) yield { event: 'run', data: presentRun(told.run), id };
      else yield { event: 'missing', data: told.missing, id };
    }
  },
});

const instance = z.string().describe('The instance that it is of.');
const named = { instance };
/** Ids of instances have neither comma nor colon. Twelve each: the streams of one reader leave an agent room for others. */
const name = '[^,:]{1,128}';

const streamClusterLogs = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/logs/stream',
  summary: 'Stream the logs of several instances',
  description:
    'The logs of a workload, say, in one stream: the events of each instance as its own stream has them, with the name of the instance. The `id` of an event is `<instance>:<place>`; `after` takes the last one of each instance. An instance whose log cannot be read has an `end` with the reason, and the others are read on.',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['cluster-not-ready'],
  of: theCluster,
  query: z.strictObject({
    instances: z
      .string()
      .regex(new RegExp(`^${name}(,${name}){0,11}$`), 'must be at most 12 ids of instances, separated by commas')
      .describe('Ids of instances, separated by commas; 12 at most.'),
    after: z
      .string()
      .regex(/^[^,:]{1,128}:\d{1,15}\.\d{1,15}(,[^,:]{1,128}:\d{1,15}\.\d{1,15}){0,11}$/, 'must be ids of events')
      .optional()
      .describe('Ids of events, one of an instance at most, separated by commas: continues behind them.'),
    tail: z
      .int()
      .min(0)
      .max(10_000)
      .default(100)
      .describe('How many of the last lines of each other instance to start with.'),
    follow: z.boolean().default(false).describe('Whether to keep streaming new lines.'),
  }),
  stream: {
    kind: 'other',
    events: {
      log: logLineSchema.extend(named).meta({ id: 'ClusterLogLine' }),
      run: logRunSchema.extend(named).meta({ id: 'ClusterLogRun' }),
      missing: missingSchema.extend(named).meta({ id: 'ClusterLogMissing' }),
      end: endSchema.extend(named).meta({ id: 'ClusterLogEnd' }),
    },
  },
  async *handle({ found: cluster, query, server, signal }) {
    const ids = [...new Set(query.instances.split(','))];
    const places = new Map((query.after ?? '').split(',').map((text) => text.split(':') as [string, string]));
    const leaving = new AbortController();
    const over = AbortSignal.any([signal, leaving.signal]);
    const read = async function* (id: string) {
      const place = places.get(id);
      const start = place === undefined ? { tail: query.tail } : { from: cursorOf(place) };
      const reading = readLog(server, cluster, { instance: id, ...start, follow: query.follow }, over);
      for (let next = await reading.next(); ; next = await reading.next()) {
        if (next.done) {
          // Without an end the reader continues behind the last event.
          if (next.value !== undefined) yield { event: 'end' as const, data: { ...next.value, instance: id } };
          return;
        }
        yield presented(next.value, id);
      }
    };
    try {
      yield* readTogether(ids.map(read), (index, error) => {
        const message = error instanceof Problem ? error.message : 'This log could not be read; try again.';
        return { event: 'end' as const, data: { message, instance: ids[index] ?? '' } };
      });
    } finally {
      leaving.abort();
    }
  },
});

function presented(told: LogTold, instance: string) {
  const id = `${instance}:${cursorText(told.cursor)}`;
  if ('line' in told) return { event: 'log' as const, data: { ...presentLine(told.line), instance }, id };
  if ('run' in told) return { event: 'run' as const, data: { ...presentRun(told.run), instance }, id };
  return { event: 'missing' as const, data: { ...told.missing, instance }, id };
}

export const logs = {
  logLines: listLogLines,
  logs: streamLogs,
  runs: listRuns,
  logsOfCluster: streamClusterLogs,
  logsOfEnvironment: streamEnvironmentLogs,
};
