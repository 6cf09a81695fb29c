import { z } from 'zod';

/** Long enough to set up a machine, short enough that one left in a shell's history is soon worthless. */
export const joinTokenSeconds = z
  .int()
  .min(300, 'must be at least five minutes')
  .max(604_800, 'must be at most a week');
export const joinTokenTtlSchema = z.object({ seconds: z.int() }).meta({ id: 'JoinTokenTtl' });
