import { z } from 'zod';
import { logPosition, logStream } from '../../protocol/logs.ts';
import type { LogLine } from './log-reader.ts';

export const logLineSchema = z
  .object({
    stream: logStream,
    position: logPosition.describe('Where the line begins in its stream; the same whenever it is read.'),
    text: z.string().describe('One line, without its end.'),
    at: z.iso.datetime(),
  })
  .meta({ id: 'InstanceLogLine' });

export const instanceLogPath = z.strictObject({ id: z.guid().toLowerCase(), instanceId: z.string().min(1).max(128) });

export function presentLine({ stream, position, text, at }: LogLine): z.output<typeof logLineSchema> {
  return { stream, position, text, at: at.toISOString() };
}
