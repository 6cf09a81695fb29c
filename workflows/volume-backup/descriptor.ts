import type { ActorDescriptor, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, textOf } from '../../domain/actors/actors.ts';
import {
  type FinalTransferState,
  finalTransferStates,
  type TransferInput,
  transferStates,
} from '../../domain/volume-backups/states.ts';
import { volumeBackupWords } from './words.ts';

/** So long may a backup take until people are told that it is stuck. */
const longestSeconds = 86_400;

/** All of it stands in the backup's row. */
export interface VolumeBackupInput extends TransferInput {
  backupId: string;
}

export const volumeBackupDescriptor = {
  kind: 'volume-backup',
  workflow: 'volumeBackup',
  table: 'volume_backup',
  belongsTo: 'object_store',
  hint: 'volume_backup',
  lives: 'once',
  states: transferStates,
  final: finalTransferStates,
  ends: {
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
  } satisfies Record<FinalTransferState, WorkflowEnd>,
  stages: [
    { name: 'queue', title: 'Queue', states: ['queued'] },
    { name: 'backup', title: 'Backup', states: ['running'] },
  ],
  readBy: { role: 'viewer', projectTokens: false },
  gone: 'cancelled',
  row: {
    name: "concat(actor.volume_name, ' (', actor.service_name, ', ', actor.environment_name, ')')",
    subjectId: 'actor.environment_id',
    requested: true,
    overdue: `actor.started_at < now() - make_interval(secs => ${longestSeconds})`,
    unheard: {
      where: `actor.cancel_requested_at < now() - interval '60 seconds' or exists (
        select from cluster_command command
        where command.id = actor.id and command.finished_at < now() - interval '60 seconds')`,
    },
  },
  input: {
    from: (row): VolumeBackupInput => ({
      backupId: textOf(row.id),
      organizationId: textOf(row.organization_id),
      state: transferStates.find((state) => state === row.state) ?? 'queued',
      revision: numberOf(row.revision),
      cancelRequested: row.cancel_requested_at !== null,
    }),
  },
  interrupted: (how) => `The workflow of this backup ${how} before it finished; back up again.`,
  purge: { keeps: [] },
  activities: [
    'claimVolumeBackup',
    'stopVolumeBackup',
    'confirmVolumeBackup',
    'clearVolumeBackup',
    'finishVolumeBackup',
  ],
  readByRequester: false,
  words: volumeBackupWords,
} as const satisfies ActorDescriptor;
