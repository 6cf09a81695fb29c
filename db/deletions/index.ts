import { DeletionSchema } from './deletion.ts';

export const deletions = [DeletionSchema] as const;
