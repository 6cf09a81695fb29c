import { z } from 'zod';

export const retentionHours = z.int().min(1, 'must be at least an hour').max(8760, 'must be at most a year');
export const deletedRetentionSchema = z.object({ hours: z.int() }).meta({ id: 'DeletedRetention' });
