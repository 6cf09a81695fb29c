import { z } from 'zod';

export const retentionHours = z.int().min(1).max(8760);
export const deletedRetentionSchema = z.object({ hours: z.int() }).meta({ id: 'DeletedRetention' });
