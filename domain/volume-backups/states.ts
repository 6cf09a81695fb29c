import type { ActorInput, RowSays } from '../actors/actor-descriptor.ts';

/** The states of a backup and of a restore: queued until its turn on the cluster comes; running from then on. The others are final. */
export const transferStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type TransferState = (typeof transferStates)[number];

export const finalTransferStates = ['succeeded', 'failed', 'cancelled'] as const;
export type FinalTransferState = (typeof finalTransferStates)[number];

export function isTransferOver(state: TransferState): state is FinalTransferState {
  return finalTransferStates.some((one) => one === state);
}

/** All of it stands in the row of the backup or the restore. */
export interface TransferInput extends ActorInput {
  organizationId: string;
  state?: TransferState;
  cancelRequested: boolean;
}

/** The answer of an activity that writes to the row; the revision is that of the row then. */
export type TransferSays = RowSays & { state: TransferState; revision: number; message?: string };

export function transferSays(row: RowSays, revision: number): TransferSays {
  return { ...row, revision, state: transferStates.find((state) => state === row.state) ?? 'queued' };
}

/** As the API answers those of backups: what runs is uploading once something of it has reached the store. */
export const volumeBackupStatuses = ['queued', 'running', 'uploading', ...finalTransferStates] as const;
export type VolumeBackupStatus = (typeof volumeBackupStatuses)[number];

export function statusOf(state: TransferState, storedBytes: number): VolumeBackupStatus {
  return state === 'running' && storedBytes > 0 ? 'uploading' : state;
}

/** As the API answers those of restores. Processes stand still while data are replaced, and not before. */
export const volumeRestoreStatuses = ['queued', 'downloading', 'replacing', ...finalTransferStates] as const;
export type VolumeRestoreStatus = (typeof volumeRestoreStatuses)[number];

export function restoreStatusOf(state: TransferState, replacing: boolean): VolumeRestoreStatus {
  return state !== 'running' ? state : replacing ? 'replacing' : 'downloading';
}

/** `archive`: the files of the volume. */
export const backupMethods = ['archive'] as const;

/** So many backups run on a cluster at once, and so many restores; the others wait for their turn. */
export const transfersAtOnce = 2;

/** Keys derive from ids: whoever reads a bucket learns no name. */
export function backupKey(ref: Record<'organizationId' | 'volumeId' | 'id', string>): string {
  return `${ref.organizationId}/${ref.volumeId}/${ref.id}.tar.zst`;
}
