/** The states of a backup: queued until its turn on the cluster comes; running from then on. The others are final. */
export const volumeBackupStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type VolumeBackupState = (typeof volumeBackupStates)[number];

export const finalVolumeBackupStates = ['succeeded', 'failed', 'cancelled'] as const;
export type FinalVolumeBackupState = (typeof finalVolumeBackupStates)[number];

export function isVolumeBackupFinal(state: VolumeBackupState): state is FinalVolumeBackupState {
  return finalVolumeBackupStates.some((one) => one === state);
}

/** As the API answers them: what runs is uploading once something of it has reached the store. */
export const volumeBackupStatuses = ['queued', 'running', 'uploading', ...finalVolumeBackupStates] as const;
export type VolumeBackupStatus = (typeof volumeBackupStatuses)[number];

export function statusOf(state: VolumeBackupState, storedBytes: number): VolumeBackupStatus {
  return state === 'running' && storedBytes > 0 ? 'uploading' : state;
}

/** `archive`: the files of the volume. */
export const backupMethods = ['archive'] as const;

/** So many run on a cluster at once; the others wait for their turn. */
export const backupsAtOnce = 2;

/** Keys derive from ids: whoever reads a bucket learns no name. */
export function backupKey(ref: Record<'organizationId' | 'volumeId' | 'id', string>): string {
  return `${ref.organizationId}/${ref.volumeId}/${ref.id}.tar.zst`;
}
