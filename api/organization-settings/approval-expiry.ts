import { z } from 'zod';

export const expiryHours = z.int().min(1, 'must be at least an hour').max(8760, 'must be at most 365 days');
export const approvalExpirySchema = z.object({ hours: z.int() }).meta({ id: 'ApprovalExpiry' });
