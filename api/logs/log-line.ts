import { z } from 'zod';
import { isId } from '../../domain/ids.ts';
import { Problem } from '../../domain/problems.ts';
import { type LogRun, logBatch as logBatchBody, logPosition, logStream } from '../../protocol/logs.ts';
import { incarnationRoute } from '../agent-link/agent-route.ts';
import { cursorText, type LogLine } from './log-reader.ts';

export const logLineSchema = z
  .object({
    stream: logStream,
    position: logPosition.describe('Where the line begins in its stream; the same whenever it is read.'),
    text: z.string().describe('One line, without its end.'),
    at: z.iso.datetime(),
    run: z.int().optional().describe('The run that wrote it. Missing where the agent did not note where runs begin.'),
  })
  .meta({ id: 'InstanceLogLine' });

export const logCursorText = z.string().regex(/^\d{1,15}\.\d{1,15}$/, 'must be the id of an event of this stream');

export const logRunSchema = z
  .object({
    run: z.int().describe('Counted from 1.'),
    from: logCursorText.describe('Where its lines begin, as `after` takes it.'),
    startedAt: z.iso.datetime().optional(),
    exit: z
      .object({
        at: z.iso.datetime(),
        code: z.int().optional(),
        signal: z.string().optional(),
        outOfMemory: z.literal(true).optional(),
      })
      .optional()
      .describe('How it ended; without code and signal nobody saw it.'),
    to: logCursorText.optional().describe('Where its lines end, as `before` takes it.'),
  })
  .meta({ id: 'InstanceRun' });

export function presentRun({ run, from, startedAt, exit, to }: LogRun): z.output<typeof logRunSchema> {
  return {
    ...{ run, from: cursorText(from) },
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
    ...(exit === undefined ? {} : { exit: { ...exit, at: new Date(exit.at).toISOString() } }),
    ...(to === undefined ? {} : { to: cursorText(to) }),
  };
}

export const instanceLogPath = z.strictObject({ id: z.guid().toLowerCase(), instanceId: z.string().min(1).max(128) });

export function presentLine({ at, ...line }: LogLine): z.output<typeof logLineSchema> {
  return { ...line, at: at.toISOString() };
}

/** Part of a log for one reader. Answered when the reader has room for it, so an agent sends no faster than it is read. */
export const logBatch = incarnationRoute({
  method: 'POST',
  url: 'logs/:id',
  body: logBatchBody,
  bodyLimit: 1024 * 1024,
  waits: true,
  async handle({ server, body, id, reply }, agent): Promise<{ taken: boolean }> {
    const leaving = new AbortController();
    reply.raw.once('close', () => leaving.abort());
    const taken = isId(id) ? await server.logReaders.deliver(agent.cluster, id, body, leaving.signal) : undefined;
    if (taken === undefined) throw new Problem('not-found', 'Nobody reads this log any more.');
    return { taken };
  },
});
