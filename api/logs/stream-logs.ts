import { z } from 'zod';
import { logPosition, logStream } from '../../protocol/logs.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { instanceLogPath, logCursorText, logLineSchema, logRunSchema, presentLine, presentRun } from './log-line.ts';
import { cursorOf, cursorText } from './log-reader.ts';
import { readLog } from './read-log.ts';

export const missingSchema = z
  .object({
    stream: logStream,
    from: logPosition.describe('The position of the first line that is missing.'),
    to: logPosition.describe('The position behind the last one.'),
  })
  .meta({ id: 'InstanceLogMissing' });
export const endSchema = z
  .object({ message: z.string().describe('Why the stream ends early; empty if it is complete.') })
  .meta({ id: 'InstanceLogEnd' });

export const streamLogs = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/logs/stream',
  summary: 'Stream the logs of an instance',
  description:
    'One stream of all runs: lines from before a restart included. Each event has an `id`; a stream that begins `after` it (or with it as `Last-Event-ID`) continues there, without a line twice or left out. `run`: one begins here or, with `exit`, ended here; runs before the first line come first. `missing`: lines were deleted on the machine before they were read. Ends after `end`: at once without `follow`, otherwise when the instance is deleted.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found', 'cluster-not-ready'],
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
  async *handle({ caller, path, query: { tail, after, before, follow }, server, signal }) {
    const cluster = await caller.see(theCluster, path.id);
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
