import { z } from 'zod';
import { commandBody, commandResult } from '../../protocol/command.ts';

/**
 * States of a command. received: may start. started: may have had effects. finished: the result waits to be reported.
 * gone: the result was acknowledged; kept for a while, so that a late copy of the command is recognised.
 */
export const entry = z.object({
  id: z.uuid(),
  attempt: z.int().min(1),
  state: z.enum(['received', 'started', 'finished', 'gone']),
  /** How often it was started; more than once only what can be taken up again. */
  starts: z.int().min(0),
  body: commandBody.optional(),
  /** The driver's note for ending a command that was started. */
  mark: z.string().max(1000).optional(),
  result: commandResult.optional(),
});
export type Entry = z.infer<typeof entry>;
