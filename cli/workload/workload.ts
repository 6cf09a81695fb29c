import type { z } from 'zod';
import type { workloadSchema } from '../../api/workloads/workload.ts';

/** A workload as the API answers it. */
export type Workload = z.output<typeof workloadSchema>;
