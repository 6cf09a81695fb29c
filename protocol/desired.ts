import { z } from 'zod';
import { workload } from './workload.ts';

export const sliceKey = z.string().regex(/^[a-z0-9][a-z0-9/-]{0,127}$/);

/** The desired state of one slice. `revision` is the cluster's revision at which it last changed. */
export const slice = z.object({ key: sliceKey, revision: z.int().min(1), workload });
export type Slice = z.infer<typeof slice>;

/** A slice that cannot be delivered, because a secret is missing for example: said, and no obstacle for the others. */
export const brokenSlice = z.object({ key: sliceKey, revision: z.int().min(1), error: z.string() });

/** Changes after `since`; everything if `since` is 0. */
export const desired = z.object({
  revision: z.int().min(0),
  slices: z.array(slice),
  broken: z.array(brokenSlice),
  removed: z.array(sliceKey),
});
export type Desired = z.infer<typeof desired>;
