import { z } from 'zod';
import { said } from './text.ts';

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
});
export type BackupVolumeBody = z.infer<typeof backupVolumeBody>;

/** How far a backup is, in a piece of its output on `progress`. */
export const backupProgress = z.object({
  archiveBytes: z.int().min(0),
  storedBytes: z.int().min(0),
  /** On the disk of the volume, as it was counted last. */
  volumeBytes: z.int().min(0),
});
export type BackupProgress = z.infer<typeof backupProgress>;
