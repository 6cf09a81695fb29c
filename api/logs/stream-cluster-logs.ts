import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { logLineSchema, logRunSchema, presentLine, presentRun } from './log-line.ts';
import { cursorOf, cursorText, type LogTold } from './log-reader.ts';
import { readLog } from './read-log.ts';
import { readTogether } from './read-together.ts';
import { endSchema, missingSchema } from './stream-logs.ts';

const instance = z.string().describe('The instance that it is of.');
const named = { instance };
/** Ids of instances have neither comma nor colon. Twelve each: the streams of one reader leave an agent room for others. */
const name = '[^,:]{1,128}';

export const streamClusterLogs = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/logs/stream',
  summary: 'Stream the logs of several instances',
  description:
    'The logs of a workload, say, in one stream: the events of each instance as its own stream has them, with the name of the instance. The `id` of an event is `<instance>:<place>`; `after` takes the last one of each instance. An instance whose log cannot be read has an `end` with the reason, and the others are read on.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found', 'cluster-not-ready'],
  path: z.strictObject({ id: z.guid().toLowerCase() }),
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
  async *handle({ caller, path, query, server, signal }) {
    const cluster = await caller.see(theCluster, path.id);
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
