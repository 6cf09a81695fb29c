import { z } from 'zod';
import { findVolume, type VolumeView } from '../../db/services/volumes.ts';
import type { VolumeUsage } from '../../db/workloads/volume-usage.ts';
import type { VolumeSettings } from '../../domain/services/settings.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { resource } from '../engine/resource.ts';

export const theVolume = resource('volume', findVolume, ({ projectId }) => projectId);

export const sizeBytes = z
  .int()
  .min(1)
  .describe('The size that you want. No cluster of this version enforces it: `usage.sizeEnforced`.');

export const volumeSchema = z
  .object({
    id: z.guid(),
    processId: z.guid(),
    name: z.string(),
    mountPath: z.string(),
    storageClass: z.string(),
    sizeBytes: z.int(),
    createdAt: z.iso.datetime(),
    usage: z
      .object({
        capacityBytes: z.int(),
        usedBytes: z.int(),
        filesystem: z
          .object({ availableBytes: z.int(), capacityBytes: z.int() })
          .optional()
          .describe('The disk that it lies on with others, where its agent tells that.'),
        sizeEnforced: z.boolean().describe('False: more than its size can be written, until the disk is full.'),
        observedAt: z.iso.datetime(),
      })
      .optional()
      .describe('In an environment, once its cluster has told it.'),
  })
  .meta({ id: 'Volume' });

/** A volume with the settings of an environment, by default with those of its definition. */
export function volumeAnswer(
  volume: VolumeView,
  settings: VolumeSettings = volume.definition,
  usage?: VolumeUsage,
): AnswerOf<typeof volumeSchema> {
  const { sizeBytes: capacityBytes } = settings;
  return { ...settings, ...volume, usage: usage && { ...usage, capacityBytes, sizeEnforced: false } };
}
