import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { findCluster } from '../../db/clusters/clusters.ts';
import { type EnvironmentInstance, environmentInstances } from '../../db/workloads/instances.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { logLineSchema, presentLine } from './log-line.ts';
import { readLog, readTogether } from './read-log.ts';

export const environmentLogLineSchema = logLineSchema
  .extend({
    serviceId: z.guid(),
    serviceName: z.string(),
    process: z.string(),
    instance: z.string(),
    release: z.string(),
  })
  .meta({ id: 'EnvironmentLogLine' });
const noteSchema = z
  .object({ message: z.string(), instance: z.string().describe('Empty: of the whole stream.') })
  .meta({ id: 'EnvironmentLogNote' });

/** As many as the logs of one reader take of an agent. */
const mostInstances = 12;
const lookMillis = 1_000;

type LogEvent =
  | { event: 'log'; data: z.output<typeof environmentLogLineSchema> }
  | { event: 'note'; data: z.output<typeof noteSchema> };

export const streamEnvironmentLogs = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/logs/stream',
  summary: "Stream the logs of an environment's services",
  description:
    'Each line with its service, process and instance. Instances that start meanwhile are followed, too. Twelve instances at once; `note` says when there are more, and when a log cannot be read.',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['cluster-not-ready'],
  of: theEnvironment,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Only of this service.'),
    tail: z
      .int()
      .min(0)
      .max(10_000)
      .default(100)
      .describe('How many of the last lines of each instance to start with.'),
    follow: z.boolean().default(true).describe('Whether to keep streaming new lines.'),
  }),
  stream: { kind: 'other', events: { log: environmentLogLineSchema, note: noteSchema } },
  async *handle({
    found: environment,
    caller,
    query,
    server,
    database,
    signal,
  }): AsyncGenerator<LogEvent, void, undefined> {
    const organizationId = caller.organization.id;
    const cluster =
      environment.clusterId === null
        ? undefined
        : await findCluster(database.kysely, organizationId, environment.clusterId);
    if (cluster === undefined) {
      throw new Problem('cluster-not-ready', `The environment "${environment.name}" has no cluster yet.`);
    }
    const leaving = new AbortController();
    const over = AbortSignal.any([signal, leaving.signal]);
    const known = new Set<string>();
    const reading = new Set<string>();
    const read = async function* ({ instance, serviceId, serviceName }: EnvironmentInstance): AsyncGenerator<LogEvent> {
      const { id, process, release } = instance;
      reading.add(id);
      try {
        const wanted = { instance: id, tail: query.tail, follow: query.follow };
        for await (const told of readLog(server, cluster, wanted, over)) {
          if (!('line' in told)) continue;
          const data = { ...presentLine(told.line), serviceId, serviceName, process, instance: id, release };
          yield { event: 'log', data };
        }
      } catch (error) {
        if (over.aborted) return;
        const message = error instanceof Problem ? error.message : 'This log could not be read; try again.';
        yield { event: 'note', data: { message, instance: id } };
      } finally {
        reading.delete(id);
      }
    };
    const started = async function* (): AsyncGenerator<AsyncIterable<LogEvent>> {
      let tooMany = false;
      while (!over.aborted) {
        const at = { organizationId, environmentId: environment.id };
        const all = await environmentInstances(database.kysely, at, query.serviceId);
        const fresh = all.filter(({ instance }) => !known.has(instance.id) && instance.state !== 'preparing');
        const taken = fresh.slice(0, Math.max(0, mostInstances - reading.size));
        for (const one of taken) {
          known.add(one.instance.id);
          yield read(one);
        }
        if (taken.length < fresh.length && !tooMany) {
          tooMany = true;
          yield note(`There are more than ${mostInstances} instances: the newest are followed. Choose a service.`);
        }
        if (!query.follow) return;
        await pause(lookMillis, undefined, { signal: over }).catch(() => undefined);
      }
    };
    try {
      yield* readTogether(started(), () => ({
        event: 'note',
        data: { message: 'A log could not be read.', instance: '' },
      }));
    } finally {
      leaving.abort();
    }
  },
});

async function* note(message: string): AsyncGenerator<LogEvent> {
  yield { event: 'note', data: { message, instance: '' } };
}
