import { z } from 'zod';
import { commandBody, commandResult } from '../../protocol/command.ts';

/**
 * What the journal knows of a command. received: it may start. started: it may have done something. finished: its result
 * is to be told. gone: the result was acknowledged; kept for a while, so that a late copy of the command is known.
 */
export const entry = z.object({
  id: z.uuid(),
  attempt: z.int().min(1),
  state: z.enum(['received', 'started', 'finished', 'gone']),
  /** How often it was started; more than once only what can be taken up again. */
  starts: z.int().min(0),
  body: commandBody.optional(),
  /** What the driver needs to end what was begun. */
  mark: z.string().max(1000).optional(),
  result: commandResult.optional(),
});
export type Entry = z.infer<typeof entry>;
