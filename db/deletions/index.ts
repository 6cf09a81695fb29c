import { DeletionSchema } from './deletion.ts';
import { LeftVolumeSchema } from './left-volume.ts';

export const deletions = [DeletionSchema, LeftVolumeSchema] as const;
