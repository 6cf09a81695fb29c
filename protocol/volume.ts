import { z } from 'zod';
import { said } from './text.ts';
import { partName } from './workload.ts';

/** A bucket, the credential for it, and the rules for its address: the agent holds to those of its control plane. */
export const storeTarget = z.object({
  endpoint: z.string(),
  region: z.string(),
  bucket: z.string(),
  /** Before each key: empty, or ends with a slash. */
  prefix: z.string(),
  pathStyle: z.boolean(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  /** In PEM, trusted besides those of Node. */
  certificateAuthorities: z.string(),
  /** Private ranges that may be reached. */
  allowedRanges: z.array(z.string()),
});
export type StoreTarget = z.infer<typeof storeTarget>;

/** An archive in a store, by which a restore knows it again. */
export const storedArchive = z.object({
  /** Of the object. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().min(0),
  /** Of the archive within, before it was compressed. */
  archiveBytes: z.int().min(0),
  /** Facts for people: files that changed while they were read, sockets that are left out. */
  warnings: z.array(said(500)).max(20).default([]),
  /** So long nothing ran that mounts the volume, where it was to stand still. */
  stoppedMillis: z.int().min(0).optional(),
});
export type StoredArchive = z.infer<typeof storedArchive>;

/** Packs the files of a volume into an object of a store. Its result has `stored`. */
export const backupVolumeBody = z.object({
  kind: z.literal('backup-volume'),
  /** Of the workload. */
  key: z.string(),
  volume: z.string(),
  store: storeTarget,
  objectKey: z.string(),
  /** Of the object; absent: as fast as it goes. */
  bytesPerSecond: z.int().min(1).optional(),
  /** Whether what mounts the volume stands still meanwhile; agents before 1.11 do not know that. */
  quiesce: z.boolean().default(false),
});
export type BackupVolumeBody = z.infer<typeof backupVolumeBody>;

/**
 * Puts an archive, or data that were kept, in the place of a volume: its processes stand still for that moment alone, and what it
 * had is kept under the name `keptAs`. The volume need not be there. Its result has `replaced`.
 */
export const restoreVolumeBody = z.object({
  kind: z.literal('restore-volume'),
  /** Of the workload. */
  key: z.string(),
  volume: partName,
  keptAs: partName,
  from: z.union([
    z.object({
      store: storeTarget,
      objectKey: z.string(),
      stored: storedArchive.pick({ sha256: true, sizeBytes: true, archiveBytes: true }),
      /** Of the object; absent: as fast as it goes. */
      bytesPerSecond: z.int().min(1).optional(),
    }),
    /** The name under which they were kept. */
    z.object({ kept: partName }),
  ]),
});
export type RestoreVolumeBody = z.infer<typeof restoreVolumeBody>;

/** The effects of a restore, besides that it is done. */
export const replacedVolume = z.object({
  /** Whether there were data before. */
  kept: z.boolean(),
  /** From the first instance that was asked to end until all of them run again; absent where none was stopped, or nobody knows. */
  stoppedMillis: z.int().min(0).optional(),
});
export type ReplacedVolume = z.infer<typeof replacedVolume>;

/** How far a backup is, in a piece of its output on `progress`. */
export const backupProgress = z.object({
  archiveBytes: z.int().min(0),
  storedBytes: z.int().min(0),
  /** On the disk of the volume, as it was counted last. */
  volumeBytes: z.int().min(0),
});
export type BackupProgress = z.infer<typeof backupProgress>;

/** How far a restore is; `replacing` once the files are there, from then on processes stand still. */
export const restoreProgress = z.object({
  phase: z.enum(['fetching', 'replacing']),
  fetchedBytes: z.int().min(0),
  archiveBytes: z.int().min(0),
});
export type RestoreProgress = z.infer<typeof restoreProgress>;
